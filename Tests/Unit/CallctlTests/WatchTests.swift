// callctl watch against a scripted daemon.

import CallClient
import CallModel
import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import callctl

@Suite @LoopActor struct WatchTests {
    nonisolated init() { Loop.shared.start() }

    @Test func aCallFromBeginningToEnd() async throws {
        let bus = try await PrivateBus()
        let daemon = try await ScriptedDaemon(on: bus)
        let watch = try CallctlProcess(["watch"], on: bus)
        try await watch.expect("daemon", "callkitd is there: 1 provider, 1 plugin, 0 calls")
        try await watch.expect("provider", "Hotline ready")
        try await watch.expect("plugin", "Hotline quarantined, crashed 3 times within 60 s")
        let call = ScriptedCall(Sample.alice, "ringing", can: ["answer"], name: "Al\u{1B}ice", in: daemon)
        daemon.add(call)
        try await watch.expect("incoming  1a2b3c4d", "ringing, via Hotline")
        try await watch.expect("identity  1a2b3c4d", "Al\u{FFFD}ice <phone-number:555>")
        call.change(to: "active")
        try await watch.expect("state     1a2b3c4d", "ringing → active")
        daemon.tree.emit(ScriptedDaemon.callEnded, from: DaemonPath.system, call.path, "remote-ended", "remote")
        try await watch.expect("ended     1a2b3c4d", "remote-ended, by remote")
        daemon.tree.remove(call.path)
        try await watch.expect("gone      1a2b3c4d", "the call's object")
        daemon.tree.emit(ScriptedDaemon.callFiltered, from: DaemonPath.system, Sample.hotline, "blocked", "user", 7)
        try await watch.expect("filtered", "via Hotline, blocked by user")
        let reason = "do-not-disturb"
        daemon.tree.emit(ScriptedDaemon.callFiltered, from: DaemonPath.system, Sample.hotline, reason, reason, 0)
        try await watch.expect("filtered", "via Hotline, do-not-disturb")
        watch.kill(SIGTERM)
        #expect(try await watch.result().code == 0)
    }

    @Test func theDaemonAndTheBusMayComeBack() async throws {
        let bus = try await PrivateBus()
        let watch = try CallctlProcess(["watch"], on: bus)
        try await watch.expect("daemon", "callkitd is not there")
        let first = try await ScriptedDaemon(on: bus)
        try await watch.expect("daemon", "callkitd is there")
        first.bus.close()
        try await watch.expect("daemon", "callkitd is not there")
        let second = try await ScriptedDaemon(on: bus)
        try await watch.expect("daemon", "callkitd is there")
        second.bus.close()
        try await bus.stop()
        try await watch.expect("bus", "the bus has gone")
        try await bus.start()
        let third = try await ScriptedDaemon(on: bus)
        try await watch.expect("daemon", "callkitd is there")
        watch.kill(SIGINT)
        #expect(try await watch.result().code == 0)
        third.bus.close()
    }

    @Test func eachEventIsOneObject() async throws {
        let bus = try await PrivateBus()
        let daemon = try await ScriptedDaemon(on: bus)
        let watch = try CallctlProcess(["watch", "--json"], on: bus)
        _ = try await watch.lines.next { $0.contains(#""event":"plugin""#) }
        let call = ScriptedCall(Sample.alice, "ringing", can: ["answer"], name: "Alice", in: daemon)
        daemon.add(call)
        let added = try await watch.lines.next { $0.contains(#""event":"incoming""#) }
        #expect(added.hasPrefix(#"{"at":"#) && added.contains(#""id":"\#(Sample.alice)""#))
        #expect(!added.contains("Alice"))
        let identity = try await watch.lines.next()
        #expect(identity.contains(#""event":"identity""#) && identity.contains(#""caller-name":"Alice""#))
        call.change(to: "active")
        #expect(try await watch.lines.next().contains(#""changed":{"state":"active"}"#))
        daemon.bus.close()
        watch.kill(SIGTERM)
        #expect(try await watch.result().code == 0)
    }

    @Test func itEndsWhenNobodyReads() async throws {
        let bus = try await PrivateBus()
        let daemon = try await ScriptedDaemon(on: bus)
        let watch = try CallctlProcess(["watch"], on: bus)
        _ = try await watch.lines.next { $0.contains("Hotline quarantined") }
        watch.stopReading()
        daemon.add(ScriptedCall(Sample.alice, "ringing", can: [], name: "Alice", in: daemon))
        #expect(try await watch.exitCode() == 74)
        daemon.bus.close()
    }
}

extension CallctlProcess {
    /// Takes lines until one has these two parts.
    fileprivate func expect(_ event: String, _ text: String) async throws {
        _ = try await lines.next { $0.dropFirst(14).hasPrefix(event) && $0.contains(text) }
    }
}
