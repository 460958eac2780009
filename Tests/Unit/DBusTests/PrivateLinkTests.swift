// Two ends of a private link, one of them sometimes hostile.

import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite @LoopActor struct PrivateLinkTests {
    private func makePair() throws -> (PrivateLink, PrivateLink) {
        let (left, descriptor) = try PrivateLink.pair()
        return (left, try PrivateLink(descriptor: descriptor))
    }

    @Test func theSameTreeServesALink() async throws {
        let (host, worker) = try makePair()
        let tree = ObjectTree()
        let lamp = Lamp()
        tree.export(lamp, at: "/lamp", Lamp.interface)
        tree.serve(on: host)
        let (text, count): (String, UInt32) = try await worker.call(
            at: "/lamp", "org.example.Lamp1", "Describe", "hi", ["a": Variant.bool(true)])
        #expect(text == "hi!" && count == 1)
        let isOn: Bool = try await worker.getProperty(at: "/lamp", "org.example.Lamp1", "IsOn")
        #expect(!isOn)
        let machine: String = try await worker.call(at: "/", "org.freedesktop.DBus.Peer", "GetMachineId")
        #expect(machine.count == 32)
        let inbox = Inbox<Bool>()
        worker.onSignal = { inbox.put((try? $0.read(Bool.self, String.self).0) ?? false) }
        tree.emit(Lamp.switched, from: "/lamp", true, "x")
        #expect(try await inbox.next())
        await #expect(throws: DBusError(DBusError.Name.unknownObject, "no object /x")) {
            let _: Bool = try await worker.getProperty(at: "/x", "org.example.Lamp1", "IsOn")
        }
    }

    @Test func nobodyVouchesForASender() async throws {
        let (host, descriptor) = try PrivateLink.pair()
        let daemon = try await PrivateBus()
        let bus = try await Bus.connect(to: daemon.address)
        let inbox = Inbox<Message>()
        bus.onCall = { inbox.put($0) }
        bus.send(try Message.call(to: bus.uniqueName, at: "/", "a.b", "C"))
        let message = try await inbox.next()
        #expect(message.sender == bus.uniqueName)
        let bytes = try message.marshalled()
        host.onCall = { inbox.put($0) }
        #expect(send(descriptor, bytes, bytes.count, 0) == bytes.count)
        #expect(try await inbox.next().sender == nil)
        close(descriptor)
    }

    @Test func garbageClosesTheLinkWithAReason() async throws {
        let packets: [[UInt8]] = [
            [1], [UInt8](repeating: 0, count: 100), Array("hello, this is not D-Bus".utf8),
            [UInt8](repeating: 255, count: PrivateLink.maximumPacket + 1),
            try Message.signal(from: "/", "a.b", "C").marshalled() + [1],
        ]
        for packet in packets {
            let (host, descriptor) = try PrivateLink.pair()
            let inbox = Inbox<CloseReason>()
            host.onClosed = { inbox.put($0) }
            var room: Int32 = 1 << 20
            setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &room, 4)
            #expect(send(descriptor, packet, packet.count, 0) == packet.count)
            guard case .garbage(let text) = try await inbox.next() else {
                Issue.record("closed for another reason")
                continue
            }
            #expect(text.contains("\(packet.count) bytes") || !text.isEmpty)
            #expect(!host.isOpen)
            close(descriptor)
        }
    }

    @Test func theEndOfThePeerFailsWhatIsPending() async throws {
        let (host, worker) = try makePair()
        let inbox = Inbox<String>()
        host.onClosed = { inbox.put("\($0)") }
        worker.onCall = { _ in inbox.put("called") }
        host.call(try Message.call(at: "/", "a.b", "C"), timeout: .zero) { result in
            if case .failure(let error) = result { inbox.put(error.name) }
        }
        #expect(try await inbox.next() == "called")
        worker.close()
        #expect(try await inbox.next() == DBusError.Name.disconnected)
        #expect(try await inbox.next() == "peerClosed")
        #expect(host.send(try Message.signal(from: "/", "a.b", "C")) == 0)
        await #expect(throws: DBusError.self) { try await host.call(at: "/", "a.b", "C") }
    }

    @Test func timeoutsAndLateAnswers() async throws {
        let (host, worker) = try makePair()
        let calls = Inbox<Message>()
        worker.onCall = { calls.put($0) }
        let unmatched = Inbox<UInt32>()
        host.onUnmatchedReply = { unmatched.put($0.replySerial) }
        let results = Inbox<String>()
        let serial = host.call(try Message.call(at: "/", "a.b", "C"), timeout: .milliseconds(5)) { result in
            if case .failure(let error) = result { results.put(error.name) }
        }
        #expect(try await results.next() == DBusError.Name.timeout)
        worker.send(try await calls.next().reply())
        #expect(try await unmatched.next() == serial)
    }

    @Test func aPeerThatDoesNotReadIsGivenUpButAQueueIsDelivered() async throws {
        let (host, descriptor) = try PrivateLink.pair()
        let closed = Inbox<CloseReason>()
        host.onClosed = { closed.put($0) }
        let block = [UInt8](repeating: 1, count: 100_000)
        for _ in 0..<20 { #expect(host.send(try Message.signal(from: "/", "a.b", "C", block)) != 0) }
        let worker = try PrivateLink(descriptor: descriptor)
        let inbox = Inbox<Int>()
        worker.onSignal = { inbox.put((try? $0.read([UInt8].self).count) ?? 0) }
        for _ in 0..<20 { #expect(try await inbox.next() == block.count) }

        let (other, silent) = try PrivateLink.pair()
        other.onClosed = { closed.put($0) }
        for _ in 0..<100 { other.send(try Message.signal(from: "/", "a.b", "C", block)) }
        #expect(try await closed.next() == .queueFull)
        close(silent)
    }

    @Test func aMessageMayTakeManyPackets() async throws {
        let (host, worker) = try makePair()
        for end in [host, worker] { end.maximumMessage = 4 << 20 }
        let inbox = Inbox<Int>()
        host.onSignal = { inbox.put((try? $0.read([UInt8].self).count) ?? -1) }
        let sizes = [1, 3 << 20, 2, PrivateLink.maximumPacket, PrivateLink.maximumPacket - 1, 500_000, 3]
        for size in sizes {
            #expect(worker.send(try Message.signal(from: "/", "a.b", "C", [UInt8](repeating: 7, count: size))) != 0)
        }
        for size in sizes { #expect(try await inbox.next() == size) }
        worker.onCall = { call in
            if let text = try? call.read(String.self), let reply = try? call.reply(text) { worker.send(reply) }
        }
        let text = String(repeating: "x", count: 1_000_000)
        let echo: String = try await host.call(at: "/", "a.b", "C", text)
        #expect(echo == text)
    }

    @Test func aMessageThatSaysItIsTooLargeClosesTheLink() async throws {
        let (host, descriptor) = try PrivateLink.pair()
        host.maximumMessage = 1_000_000
        let inbox = Inbox<CloseReason>()
        host.onClosed = { inbox.put($0) }
        let bytes = try Message.signal(from: "/", "a.b", "C", [UInt8](repeating: 7, count: 1_000_000)).marshalled()
        #expect(send(descriptor, bytes, 100, 0) == 100)
        #expect(try await inbox.next() == .garbage("a message of \(bytes.count) bytes, over 1000000"))
        close(descriptor)
    }

    @Test func packetsThatAreNotTheRestOfAMessageCloseTheLink() async throws {
        let (host, descriptor) = try PrivateLink.pair()
        let inbox = Inbox<CloseReason>()
        host.onClosed = { inbox.put($0) }
        let bytes = try Message.signal(from: "/", "a.b", "C", [UInt8](repeating: 7, count: 1_000)).marshalled()
        #expect(send(descriptor, bytes, 500, 0) == 500)
        #expect(send(descriptor, bytes, bytes.count, 0) == bytes.count)
        guard case .garbage = try await inbox.next() else {
            Issue.record("closed for another reason")
            return
        }
        close(descriptor)
    }

    @Test func aReplyThatIsTooLargeBecomesAnError() async throws {
        let (host, worker) = try makePair()
        worker.onCall = { call in
            let large = [UInt8](repeating: 7, count: PrivateLink.maximumPacket)
            if let reply = try? call.reply(large) { #expect(worker.send(reply) != 0) }
        }
        do {
            let _: [UInt8] = try await host.call(at: "/", "a.b", "C")
            Issue.record("it arrived")
        } catch {
            #expect(error.name == DBusError.Name.limitsExceeded && error.message.contains("over 131072"))
        }
    }

    @Test func tooLargeMessagesAreRefusedAndTheLinkGoesOn() async throws {
        let (host, worker) = try makePair()
        let large = String(repeating: "x", count: PrivateLink.maximumPacket)
        await #expect(throws: DBusError.self) { try await host.call(at: "/", "a.b", "C", large) }
        #expect(host.send(try Message.call(at: "/", "a.b", "C", large)) == 0 && host.isOpen)
        worker.onCall = { message in
            if let reply = try? message.reply() { worker.send(reply) }
        }
        try await host.call(at: "/", "a.b", "C")
    }

    @Test func onlyPacketSocketsAreTaken() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        #expect(throws: DBusError.self) { try PrivateLink(descriptor: ends[0]) }
        for end in ends { #expect(close(end) == 0) }
    }
}
