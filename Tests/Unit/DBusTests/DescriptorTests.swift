// Descriptors that travel with messages, and sessions that give up.

import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite @LoopActor struct DescriptorTests {
    /// Both ends of a pipe.
    private func ends() throws -> (reading: OwnedDescriptor, writing: OwnedDescriptor?) {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        try #require(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
        return (OwnedDescriptor(owning: ends[0]), OwnedDescriptor(owning: ends[1]))
    }

    /// Whether all copies of a pipe's other end are closed.
    private func isAlone(_ reading: OwnedDescriptor) -> Bool {
        var byte: UInt8 = 0
        return read(reading.number, &byte, 1) == 0
    }

    @Test func aReplyBringsADescriptorThatIsClosedWhenItIsDropped() async throws {
        let daemon = try await PrivateBus()
        let server = try await Bus.connect(to: daemon.address)
        let client = try await Bus.connect(to: daemon.address)
        let reading: OwnedDescriptor
        var writing: OwnedDescriptor?
        (reading, writing) = try ends()
        server.onCall = { [weak server] call in
            guard let descriptor = writing, let reply = try? call.reply(), (try? reply.append(descriptor)) != nil else {
                return
            }
            server?.send(reply)
            server?.flush()
            writing = nil
        }
        let call = try Message.call(to: server.uniqueName, at: "/", "org.example.Lock1", "Take")
        var reply: Message? = try await client.call(call)
        var taken: OwnedDescriptor? = try reply?.readDescriptor()
        reply = nil
        let number = try #require(taken?.number)
        #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
        #expect(write(number, [7], 1) == 1)
        var byte: UInt8 = 0
        #expect(read(reading.number, &byte, 1) == 1 && byte == 7)
        #expect(!isAlone(reading))
        taken = nil
        #expect(isAlone(reading))
    }

    @Test func aDescriptorThatIsNotTakenIsClosedWithItsMessage() throws {
        let reading: OwnedDescriptor
        var writing: OwnedDescriptor?
        (reading, writing) = try ends()
        var message: Message? = try Message.call(at: "/", "org.example.Lock1", "Give")
        if let writing { try message?.append(writing) }
        writing = nil
        #expect(message?.hasDescriptors == true)
        #expect(!isAlone(reading))
        message = nil
        #expect(isAlone(reading))
    }

    @Test func otherArgumentsAreAnError() throws {
        let number = try Message.call(at: "/", "org.example.Lock1", "Give", Int32(0))
        #expect(throws: DBusError.self) { try number.readDescriptor() }
        let nothing = try Message.call(at: "/", "org.example.Lock1", "Give")
        #expect(throws: DBusError.self) { try nothing.readDescriptor() }
    }

    @Test func aSessionThatGivesUpConnectsWhenItIsTold() async throws {
        let daemon = try await PrivateBus()
        let absent = BusSession(address: "unix:path=/nonexistent", maximumAttempts: 2)
        absent.start()
        while absent.lastError == nil { try await Task.sleep(for: .milliseconds(1)) }
        let session = BusSession(address: daemon.address, maximumAttempts: 1)
        let inbox = Inbox<String>()
        session.onConnected = { _ in inbox.put("connected") }
        session.tryNow()
        #expect(session.bus == nil, "it has not been started")
        session.start()
        session.tryNow()
        #expect(try await inbox.next() == "connected")
        session.tryNow()
        #expect(session.bus?.isOpen == true)
        absent.stop()
        session.stop()
    }
}
