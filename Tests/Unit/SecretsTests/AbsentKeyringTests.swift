// A keyring that is missing, comes late, or breaks off.

import CallModel
import DBus
import EventLoop
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) @LoopActor struct AbsentKeyringTests {
    @Test(arguments: [true, false]) func withoutAKeyringOrABus(hasBus: Bool) async throws {
        let rig = try await SecretsRig(withBus: hasBus)
        try rig.start()
        let begin = MonotonicTime.now
        await expect(.keyringUnavailable) { _ = try await rig.lookUp() }
        await expect(.keyringUnavailable) { try await rig.store([0x61]) }
        await expect(.keyringUnavailable) { try await rig.clear() }
        await expect(.keyringUnavailable) { try await rig.unlock() }
        #expect(MonotonicTime.now.duration(since: begin) < .seconds(20))
        for storage in ["memory", "file"] {
            try await rig.store([0x61], in: storage)
            #expect(try await rig.lookUp(in: storage) == ["password": [0x61]])
        }
        #expect(rig.changes.pending.isEmpty)
        try await rig.bus.start()
        try await rig.startKeyring()
        _ = try await rig.changes.next()
        try await rig.store([0x62])
        #expect(try await rig.lookUp() == ["password": [0x62]])
    }

    @Test func theBusIsReplaced() async throws {
        let rig = try await SecretsRig()
        try await rig.startKeyring()
        try rig.start()
        try await rig.store([0x61])
        while (try? await rig.changes.next(within: .milliseconds(500))) != nil {}
        try await rig.bus.stop()
        _ = try await rig.changes.next()
        await expect(.keyringUnavailable) { _ = try await rig.lookUp() }
        try? await rig.killKeyring()
        try await rig.bus.start()
        try await rig.startKeyring()
        _ = try await rig.changes.next()
        #expect(try await rig.lookUp() == ["password": [0x61]])
        #expect(rig.exits.pending.isEmpty)
    }

    @Test func theKeyringDiesInBetween() async throws {
        let rig = try await SecretsRig()
        try await rig.startKeyring()
        try rig.start()
        try await rig.store([0x61])
        rig.pauseKeyring()
        async let found: Void = expect(.keyringUnavailable) { _ = try await rig.lookUp() }
        async let stored: Void = expect(.keyringUnavailable) { try await rig.store([0x62]) }
        _ = try await rig.lookUp(in: "memory")
        try await rig.killKeyring()
        await found
        await stored
        try await rig.startKeyring()
        #expect(try await rig.lookUp() == ["password": [0x61]])
    }

    @Test func theKeyringDoesNotAnswer() async throws {
        let rig = try await SecretsRig()
        try await rig.startKeyring()
        try rig.start()
        _ = try await rig.changes.next()
        try await rig.store([0x61])
        rig.pauseKeyring()
        async let stored: Void = expect(.keyringUnavailable) { try await rig.store([0x62]) }
        await expect(.keyringUnavailable) { _ = try await rig.lookUp() }
        await stored
        rig.resumeKeyring()
        // That it answers again is told by nobody else.
        _ = try await rig.changes.next()
        #expect(try await rig.lookUp()["password"] != nil)
    }

    /// Its session would send secrets as they are.
    @Test func aKeyringThatDoesNotEncryptIsNotUsed() async throws {
        let rig = try await SecretsRig()
        let keyring = try await PlainKeyring(on: rig.bus)
        try rig.start()
        await expect(.keyringUnavailable) { try await rig.store([0x61]) }
        await expect(.keyringUnavailable) { _ = try await rig.lookUp() }
        #expect(keyring.sessions == ["plain", "plain"])
    }

    /// That is all that KeePassXC says when it is unlocked.
    @Test func aCollectionHasChanged() async throws {
        let rig = try await SecretsRig()
        let keyring = try await PlainKeyring(on: rig.bus)
        try rig.start()
        _ = try await rig.changes.next()
        keyring.changeCollection()
        _ = try await rig.changes.next()
    }
}
