// Descriptors that travel with messages, and sessions that give up.

import DBus
import EventLoop
import Foundation
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
        var taken: OwnedDescriptor? = try reply?.read(OwnedDescriptor.self)
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
        #expect(throws: DBusError.self) { try number.read(OwnedDescriptor.self) }
        let nothing = try Message.call(at: "/", "org.example.Lock1", "Give")
        #expect(throws: DBusError.self) { try nothing.read(OwnedDescriptor.self) }
    }

    @Test func aCallGivesADescriptorToAMethod() async throws {
        let stage = try await DescriptorStage()
        let reading: OwnedDescriptor
        var writing: OwnedDescriptor?
        (reading, writing) = try ends()
        if let writing { try await stage.give(writing) }
        writing = nil
        let taken = try #require(stage.box.taken.first)
        #expect(taken.number != reading.number)
        #expect(fcntl(taken.number, F_GETFD) & FD_CLOEXEC != 0)
        #expect(write(taken.number, [7], 1) == 1)
        var byte: UInt8 = 0
        #expect(read(reading.number, &byte, 1) == 1 && byte == 7)
        #expect(!isAlone(reading))
    }

    @Test func whatIsDroppedByTheMethodIsClosed() async throws {
        let stage = try await DescriptorStage()
        let reading: OwnedDescriptor
        var writing: OwnedDescriptor?
        (reading, writing) = try ends()
        stage.box.keeps = false
        if let writing { try await stage.give(writing) }
        writing = nil
        // The message that was sent is freed with the loop's next round at the latest.
        for _ in 0..<1_000 where !isAlone(reading) { try await stage.roundTrip() }
        #expect(isAlone(reading))
        #expect(stage.box.calls == 1)
    }

    @Test func aVariantCarriesADescriptor() throws {
        let (reading, writing) = try ends()
        let message = try Message.call(
            at: "/", "org.example.Box1", "Give", ["end": Variant(try #require(writing))] as VariantDictionary)
        let details = try message.read(VariantDictionary.self)
        let taken: OwnedDescriptor = try details.required("end")
        #expect(write(taken.number, [9], 1) == 1)
        var byte: UInt8 = 0
        #expect(read(reading.number, &byte, 1) == 1 && byte == 9)
        #expect(details["end"]?.signature == "h")
        #expect(details["end", default: "none"] == "none")
    }

    @Test func noMoreAreTakenOfOneMessageThanFit() throws {
        let (_, writing) = try ends()
        let end = try #require(writing)
        let message = try Message.call(at: "/", "org.example.Box1", "Give")
        let most = OwnedDescriptor.maximumPerMessage
        #expect(throws: DBusError.self) { try message.append([OwnedDescriptor](repeating: end, count: most + 1)) }
        let other = try Message.call(at: "/", "org.example.Box1", "Give")
        try other.append([OwnedDescriptor](repeating: end, count: most))
        #expect(try other.read([OwnedDescriptor].self).count == most)
        try other.append(end)
        let error = #expect(throws: DBusError.self) { _ = try other.read([OwnedDescriptor].self, OwnedDescriptor.self) }
        #expect(error?.name == DBusError.Name.limitsExceeded)
    }

    @Test func aClosedDescriptorIsAnError() throws {
        let number: Int32 = 1 << 30
        let closed = OwnedDescriptor(owning: number)
        let message = try Message.call(at: "/", "org.example.Box1", "Give")
        let error = #expect(throws: DBusError.self) { try message.append(closed) }
        #expect(error?.message == "descriptor \(number) cannot be duplicated")
    }

    @Test func aLinkRefusesDescriptors() async throws {
        let (near, far) = MemoryExchange().link()
        let (_, writing) = try ends()
        let message = try Message.call(at: "/", "org.example.Box1", "Give", try #require(writing))
        do throws(DBusError) {
            _ = try await near.call(message)
            Issue.record("no error")
        } catch {
            #expect(error.name == DBusError.Name.notSupported)
        }
        #expect(near.isOpen && far.isOpen)
    }

    /// How many descriptors of this process are an end of a pipe.
    private func count(of pipe: OwnedDescriptor) throws -> Int {
        let name = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(pipe.number)")
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == name
        }
    }

    @Test func descriptorsThatNobodyAskedForAreClosed() async throws {
        let stage = try await DescriptorStage()
        let (reading, writing) = try ends()
        let end = try #require(writing)
        let many = [OwnedDescriptor](repeating: end, count: OwnedDescriptor.maximumPerMessage)
        var signals = 0
        let subscription = stage.server.subscribe(MatchRule(sender: stage.client.uniqueName)) { _ in signals += 1 }
        try await subscription.ready()
        var before = 0
        for round in 0..<1_000 {
            if round == 10 { before = try count(of: end) }
            if round % 4 == 3 {
                // A signal, which is delivered to a handler that does not read it.
                stage.client.send(try Message.signal(from: "/box", "org.example.Box1", "Given", many))
            }
            do throws(DBusError) {
                // Three methods in turn: one that takes one descriptor, one that takes text, and one that does not exist.
                try await stage.client.call(
                    to: stage.server.uniqueName, at: "/box", "org.example.Box1", ["Give", "Note", "Take"][round % 3],
                    many)
                Issue.record("no error")
            } catch {
                let isExpected = [DBusError.Name.invalidArgs, DBusError.Name.unknownMethod].contains(error.name)
                #expect(isExpected, "\(error)")
            }
        }
        #expect(signals == 250)
        // What is on its way to be freed may be open now; nothing that stays is.
        var after = try count(of: end)
        for _ in 0..<1_000 where after > before {
            try await stage.roundTrip()
            after = try count(of: end)
        }
        #expect(after <= before, "\(after) are open, \(before) were")
        #expect(!isAlone(reading))
    }

    @Test func aSessionThatGivesUpConnectsWhenItIsTold() async throws {
        let daemon = try await PrivateBus()
        let absent = BusSession(address: "unix:path=/nonexistent", maximumAttempts: 2)
        absent.start()
        let other = try await DescriptorStage()
        for _ in 0..<1_000 where absent.lastError == nil { try await other.roundTrip() }
        #expect(absent.lastError != nil)
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

/// A box on a private bus that takes descriptors, and a client.
@LoopActor private final class DescriptorStage {
    @LoopActor final class Box {
        static let interface = Interface<Box>("org.example.Box1") {
            Method("Give", in: ["end"]) { (box: Box, _, end: OwnedDescriptor) in
                box.calls += 1
                if box.keeps { box.taken.append(end) }
            }
            Method("Note", in: ["text"]) { (_: Box, _, _: String) in }
        }

        var keeps = true
        var calls = 0
        var taken: [OwnedDescriptor] = []
    }

    let daemon: PrivateBus
    let server: Bus
    let client: Bus
    let box = Box()
    private let tree = ObjectTree()

    init() async throws {
        daemon = try await PrivateBus()
        server = try await Bus.connect(to: daemon.address)
        client = try await Bus.connect(to: daemon.address)
        tree.export(box, at: "/box", Box.interface)
        tree.serve(on: server)
    }

    /// Lets the loop go on until a call and its reply have come.
    func roundTrip() async throws {
        try await client.call(to: server.uniqueName, at: "/box", "org.example.Box1", "Note", "round")
    }

    func give(_ end: OwnedDescriptor) async throws {
        #expect(client.carriesDescriptors)
        try await client.call(to: server.uniqueName, at: "/box", "org.example.Box1", "Give", end)
    }
}
