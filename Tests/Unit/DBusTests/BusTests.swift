// Names, subscriptions, and a bus that goes away.

import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite @LoopActor struct BusTests {
    @Test func namesAreTakenAndGivenBack() async throws {
        let daemon = try await PrivateBus()
        let one = try await Bus.connect(to: daemon.address)
        let two = try await Bus.connect(to: daemon.address)
        #expect(BusName.isUnique(one.uniqueName))
        #expect(try await one.requestName("org.example.A", allowReplacement: true) == .acquired)
        #expect(try await one.requestName("org.example.A", allowReplacement: true) == .alreadyOwner)
        #expect(try await two.requestName("org.example.A") == .taken)
        #expect(try await two.owner(of: "org.example.A") == one.uniqueName)
        let lost = Inbox<String>()
        one.onNameLost = { lost.put($0) }
        #expect(try await two.requestName("org.example.A", replaceExisting: true) == .acquired)
        #expect(try await lost.next() == "org.example.A")
        try await two.releaseName("org.example.A")
        await #expect(throws: DBusError.self) { try await one.owner(of: "org.example.A") }
        #expect(try await one.pid(of: two.uniqueName) == UInt32(getpid()))
        #expect(try await one.uid(of: two.uniqueName) == getuid())
        await #expect(throws: DBusError.self) { try await one.requestName("not a name") }
    }

    @Test func noBusIsAnError() async {
        await #expect(throws: DBusError.self) { try await Bus.connect(to: "unix:path=/nonexistent") }
        await #expect(throws: DBusError.self) { try await Bus.connect(to: "nonsense") }
        await #expect(throws: DBusError.self) { try await Bus.connect(to: "a\0b") }
    }

    @Test func aNameIsWatched() async throws {
        let daemon = try await PrivateBus()
        let watcher = try await Bus.connect(to: daemon.address)
        let inbox = Inbox<String>()
        let watch = watcher.watchName(
            "org.example.B", appeared: { inbox.put("appeared \($0)") }, vanished: { inbox.put("vanished") })
        #expect(try await inbox.next() == "vanished")
        let owner = try await Bus.connect(to: daemon.address)
        _ = try await owner.requestName("org.example.B")
        #expect(try await inbox.next() == "appeared \(owner.uniqueName)")
        let peer = watcher.watchName(
            owner.uniqueName, appeared: { _ in inbox.put("peer") }, vanished: { inbox.put("peer gone") })
        #expect(try await inbox.next() == "peer")
        owner.close()
        let ends = [try await inbox.next(), try await inbox.next()]
        #expect(ends.sorted() == ["peer gone", "vanished"])
        watch.cancel()
        peer.cancel()
    }

    @Test func aWellKnownSenderIsFollowedAndOthersAreNotHeard() async throws {
        let daemon = try await PrivateBus()
        let listener = try await Bus.connect(to: daemon.address)
        let right = try await Bus.connect(to: daemon.address)
        let wrong = try await Bus.connect(to: daemon.address)
        let inbox = Inbox<String>()
        let subscription = listener.subscribe(MatchRule(sender: "org.example.C", interface: "org.example.C1")) {
            inbox.put((try? $0.read(String.self)) ?? "?")
        }
        try await subscription.ready()
        _ = try await right.requestName("org.example.C")
        // Unicast needs no match, so only the subscription itself can keep this one out.
        wrong.send(try Message.signal(from: "/", "org.example.C1", "S", "forged", to: listener.uniqueName))
        _ = try await wrong.owner(of: "org.example.C")
        right.send(try Message.signal(from: "/", "org.example.C1", "S", "true"))
        #expect(try await inbox.next() == "true")
        subscription.cancel()
        right.send(try Message.signal(from: "/", "org.example.C1", "S", "late"))
        _ = try await right.owner(of: "org.example.C")
        _ = try await listener.owner(of: "org.example.C")
        #expect(inbox.pending.isEmpty)
    }

    @Test func matchRulesSelect() async throws {
        let daemon = try await PrivateBus()
        let bus = try await Bus.connect(to: daemon.address)
        let inbox = Inbox<String>()
        let rules = [
            MatchRule(path: "/a/b"), MatchRule(pathNamespace: "/a"), MatchRule(member: "S"), MatchRule(arg0: "it's"),
        ]
        var subscriptions: [Subscription] = []
        for (number, rule) in rules.enumerated() {
            let subscription = bus.subscribe(rule) { _ in inbox.put("\(number)") }
            try await subscription.ready()
            subscriptions.append(subscription)
        }
        bus.send(try Message.signal(from: "/a/b", "x.y", "T", "no"))
        #expect([try await inbox.next(), try await inbox.next()] == ["0", "1"])
        bus.send(try Message.signal(from: "/ab", "x.y", "S", "it's"))
        #expect([try await inbox.next(), try await inbox.next()] == ["2", "3"])
        let wrong = bus.subscribe(MatchRule(member: "not a name")) { _ in }
        await #expect(throws: DBusError.self) { try await wrong.ready() }
        subscriptions = []
    }

    @Test func theBusGoesAway() async throws {
        let daemon = try await PrivateBus()
        let bus = try await Bus.connect(to: daemon.address)
        let inbox = Inbox<String>()
        bus.onDisconnected = { inbox.put("disconnected") }
        let message = try Message.call(to: bus.uniqueName, at: "/", "a.b", "Never")
        bus.onCall = { _ in inbox.put("called") }
        bus.call(message, timeout: .zero) { result in
            if case .failure(let error) = result { inbox.put(error.name) }
        }
        #expect(try await inbox.next() == "called")
        try await daemon.stop()
        #expect(try await inbox.next() == DBusError.Name.disconnected)
        #expect(try await inbox.next() == "disconnected")
        let late = try Message.signal(from: "/", "a.b", "C")
        #expect(!bus.isOpen && bus.send(late) == 0)
        await #expect(throws: DBusError.self) { try await bus.owner(of: "a.b") }
        bus.flush()
    }

    /// It is not by reading on the loop that this is found.
    @Test(arguments: [false, true]) func aLossThatSendingOrFlushingFindsIsToldOnce(flushing: Bool) async throws {
        let daemon = try await PrivateBus()
        let bus = try await Bus.connect(to: daemon.address)
        let inbox = Inbox<String>()
        bus.onDisconnected = { inbox.put("disconnected") }
        daemon.pause()
        bus.send(try Message.signal(from: "/", "a.b", "C"))
        daemon.kill()
        bus.send(try Message.signal(from: "/", "a.b", "C"))
        if flushing { bus.flush() }
        #expect(try await inbox.next() == "disconnected")
        await Task.yield()
        #expect(!bus.isOpen && inbox.pending.isEmpty)
    }

    /// What comes while too much waits to be sent is handled afterwards.
    @Test func aBusThatReadsNothingIsWaitedFor() async throws {
        let daemon = try await PrivateBus()
        let bus = try await Bus.connect(to: daemon.address)
        bus.maximumQueuedBytes = 1 << 20
        daemon.pause()
        for _ in 0..<8 { bus.send(try Message.signal(from: "/", "a.b", "C", [UInt8](repeating: 7, count: 1 << 20))) }
        async let name = bus.owner(of: bus.uniqueName)
        bus.handleArrived()
        daemon.resume()
        #expect(try await name == bus.uniqueName)
        #expect(bus.isOpen)
    }

    @Test func whoServesNothingIsAPeerStill() async throws {
        let daemon = try await PrivateBus()
        let idle = try await Bus.connect(to: daemon.address)
        let bus = try await Bus.connect(to: daemon.address)
        try await bus.call(to: idle.uniqueName, at: "/a", "org.freedesktop.DBus.Peer", "Ping")
        let identifier: String = try await bus.call(
            to: idle.uniqueName, at: "/a", "org.freedesktop.DBus.Peer", "GetMachineId")
        #expect(identifier.count == 32)
        do throws(DBusError) {
            try await bus.call(to: idle.uniqueName, at: "/a", "a.b", "C")
            Issue.record("answered")
        } catch {
            #expect(error.name == DBusError.Name.unknownObject && error.message == "no object /a")
        }
    }

    @Test func aSessionComesBack() async throws {
        let daemon = try await PrivateBus()
        let session = BusSession(address: daemon.address)
        let inbox = Inbox<String>()
        session.onConnected = { inbox.put("connected \($0.isOpen)") }
        session.onDisconnected = { inbox.put("disconnected") }
        session.start()
        #expect(try await inbox.next() == "connected true")
        try await daemon.stop()
        #expect(try await inbox.next() == "disconnected")
        #expect(session.bus == nil)
        try await daemon.start()
        #expect(try await inbox.next() == "connected true")
        #expect(try await session.bus?.requestName("org.example.D") == .acquired)
        session.stop()
        #expect(session.bus == nil && inbox.pending.isEmpty)
    }

    /// What flushing reads is handled, though nothing comes after it.
    @Test func whatWasReadByFlushingIsHandled() async throws {
        let daemon = try await PrivateBus()
        let sender = try await Bus.connect(to: daemon.address)
        let listener = try await Bus.connect(to: daemon.address)
        let inbox = Inbox<UInt32>()
        let subscription = listener.subscribe(MatchRule(interface: "x.y")) { message in
            inbox.put((try? message.read(UInt32.self)) ?? 0)
        }
        try await subscription.ready()
        // More than are handled in one go.
        let count: UInt32 = 1_000
        for number in 1...count { sender.send(try Message.signal(from: "/", "x.y", "S", number)) }
        listener.send(try Message.signal(from: "/", "x.z", "S", [UInt8](repeating: 7, count: 4 << 20)))
        listener.flush()
        sender.flush()
        listener.send(try Message.signal(from: "/", "x.z", "S", [UInt8](repeating: 7, count: 4 << 20)))
        listener.flush()
        for number in 1...count { #expect(try await inbox.next() == number) }
    }

    @Test func whatWasSentIsFlushed() async throws {
        let daemon = try await PrivateBus()
        let sender = try await Bus.connect(to: daemon.address)
        let listener = try await Bus.connect(to: daemon.address)
        let inbox = Inbox<Int>()
        let subscription = listener.subscribe(MatchRule(interface: "x.y")) { message in
            inbox.put((try? message.read([UInt8].self).count) ?? -1)
        }
        try await subscription.ready()
        let large = [UInt8](repeating: 7, count: 4 << 20)
        sender.send(try Message.signal(from: "/", "x.y", "S", large))
        sender.flush()
        sender.close()
        #expect(try await inbox.next() == large.count)
    }
}
