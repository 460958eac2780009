// A keyring that is locked: who asks the user, and how often.

import CallModel
import DBus
import EventLoop
import TestSupport
import Testing
import WorkerLaunch

@Suite(.timeLimit(.minutes(15))) @LoopActor struct LockedKeyringTests {
    /// A rig with a secret in a keyring that is locked.
    private func locked() async throws -> SecretsRig {
        let rig = try await SecretsRig()
        try await rig.startKeyring()
        try rig.start()
        try await rig.store([0x61])
        try await rig.killKeyring()
        try await rig.startKeyring(unlocked: false)
        return rig
    }

    @Test func nobodyCanBeAsked() async throws {
        let rig = try await locked()
        await expect(.keyringLocked) { _ = try await rig.lookUp() }
        await expect(.keyringLocked) { _ = try await rig.lookUp(account: SecretsRig.other) }
        await expect(.keyringLocked) { try await rig.clear() }
        await expect(.keyringLocked) { try await rig.store([0x62]) }
        await expect(.keyringLocked) { try await rig.unlock() }
        try await rig.startKeyring()
        #expect(try await rig.lookUp() == ["password": [0x61]])
        try await rig.unlock()
    }

    @Test func asksOnceAndOnlyToUnlock() async throws {
        let rig = try await locked()
        let user = try await Prompter(on: rig.bus)
        await expect(.keyringLocked) { _ = try await rig.lookUp() }
        await expect(.keyringLocked) { try await rig.clear() }
        #expect(user.questions.pending.isEmpty)
        async let first: Void = expect(.keyringLocked) { try await rig.unlock() }
        _ = try await user.questions.next()
        async let second: Void = expect(.keyringLocked) { try await rig.unlock() }
        async let third: Void = expect(.keyringLocked) { _ = try await rig.lookUp() }
        await third
        // The other storages do not wait.
        try await rig.store([0x63], in: "memory")
        #expect(try await rig.lookUp(in: "memory") == ["password": [0x63]])
        try await rig.store([0x64], in: "file")
        #expect(try await rig.lookUp(in: "file") == ["password": [0x64]])
        user.dismiss()
        await first
        await second
        #expect(user.questions.pending.isEmpty)
        // A secret to be kept is a new reason to ask.
        async let stored: Void = expect(.keyringLocked) { try await rig.store([0x62]) }
        _ = try await user.questions.next()
        user.dismiss()
        await stored
        #expect(user.questions.pending.isEmpty)
    }

    @Test func tellsWhenItIsUnlockedAndLocked() async throws {
        let rig = try await locked()
        await expect(.keyringLocked) { _ = try await rig.lookUp() }
        try await settle(rig)
        try await rig.startKeyring()
        _ = try await rig.changes.next()
        #expect(try await rig.lookUp() == ["password": [0x61]])
        try await settle(rig)
        let client = try await Bus.connect(to: rig.bus.address)
        let (objects, _): ([ObjectPath], ObjectPath) = try await client.call(
            to: SecretsRig.secretService, at: "/org/freedesktop/secrets", "org.freedesktop.Secret.Service", "Lock",
            [ObjectPath](arrayLiteral: "/org/freedesktop/secrets/collection/login"))
        #expect(objects.count == 1)
        _ = try await rig.changes.next()
        await expect(.keyringLocked) { _ = try await rig.lookUp() }
    }

    /// The user, who has no keyring yet, is asked once for the password of a new one.
    @Test func thereIsNoKeyringYet() async throws {
        let rig = try await SecretsRig()
        try await rig.startKeyring(unlocked: false)
        try rig.start()
        let user = try await Prompter(on: rig.bus)
        await expect(.keyringUnavailable) { _ = try await rig.lookUp() }
        await expect(.keyringUnavailable) { try await rig.clear() }
        try await rig.unlock()
        #expect(user.questions.pending.isEmpty)
        async let stored: Void = expect(.keyringLocked) { try await rig.store([0x61]) }
        _ = try await user.questions.next()
        user.dismiss()
        await stored
        #expect(user.questions.pending.isEmpty)
    }

    /// Ends the process while the user is asked. It goes at once; the keyring outlives it, and an answer that comes later.
    @Test func goesWhileTheUserIsAsked() async throws {
        let rig = try await locked()
        let user = try await Prompter(on: rig.bus)
        let asked = Task { try await rig.unlock() }
        _ = try await user.questions.next()
        let begin = MonotonicTime.now
        rig.process?.stop()
        #expect(try await rig.exits.next() == .exited(0))
        #expect(MonotonicTime.now.duration(since: begin) < .seconds(10))
        await #expect(throws: DBusError.self) { try await asked.value }
        try rig.start()
        await expect(.keyringLocked) { _ = try await rig.lookUp() }
        user.dismiss()
        _ = try await user.withdrawals.next()
        await expect(.keyringLocked) { _ = try await rig.lookUp() }
        #expect(rig.keyringIsRunning)
    }

    /// Waits until changes that have happened were told, and forgets them.
    private func settle(_ rig: SecretsRig) async throws {
        while (try? await rig.changes.next(within: .milliseconds(500))) != nil {}
    }
}
