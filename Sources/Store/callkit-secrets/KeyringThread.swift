// KeyringThread: libsecret, on a thread that may wait.

import CSecret
import CallModel
import DBus
import EventLoop

/// One connection to the keyring. Its calls come one after the other; each may take as long as the keyring takes, or the
/// user.
actor KeyringThread {
    private let executor: ThreadExecutor

    /// The most bytes of an account's secrets, with their keys: 64 secrets take half of it.
    private static let room = SecretsServer.maximumMessage / 2

    static let locked = CallError(.keyringLocked, "the keyring is locked")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter name: The thread's name, at most 15 bytes.
    init(_ name: String) throws(SystemError) { executor = try ThreadExecutor(name) }

    /// - Returns: False, having asked nobody, if the keyring is locked.
    func store(_ secret: Secret, _ key: String, _ account: AccountID) throws(CallError) -> Bool {
        let bytes = secret.bytes
        let outcome = ock_secrets_store(account.rawValue, key, bytes, bytes.count)
        if outcome == CInt(OCK_SECRETS_LOCKED) { return false }
        try check(outcome)
        return true
    }

    func lookUp(_ account: AccountID) throws(CallError) -> [String: Secret] {
        var room = [UInt8](repeating: 0, count: Self.room)
        defer { ProcessMemory.erase(&room) }
        var used = 0
        try check(ock_secrets_look_up(account.rawValue, &room, Self.room, &used))
        var secrets: [String: Secret] = [:]
        var rest = room[..<used]
        while let name = rest.popFirst() {
            let key = String(decoding: rest.prefix(Int(name)), as: UTF8.self)
            rest = rest.dropFirst(Int(name))
            guard let low = rest.popFirst(), let high = rest.popFirst() else { break }
            let size = Int(high) << 8 | Int(low)
            // Another program may have put items there that are none of OpenCallKit's.
            if AccountField(key, .secret) != nil, (1...AccountField.maximumSecret).contains(size) {
                secrets[key] = Secret(Array(rest.prefix(size)))
            }
            rest = rest.dropFirst(size)
        }
        return secrets
    }

    /// - Parameter key: Nil removes all of the account's.
    func clear(_ key: String?, _ account: AccountID) throws(CallError) {
        try check(ock_secrets_clear(account.rawValue, key ?? ""))
    }

    /// Asks the user, unless the keyring is unlocked.
    func unlock() throws(CallError) { try check(ock_secrets_unlock()) }

    private func check(_ outcome: CInt) throws(CallError) {
        switch outcome {
        case CInt(OCK_SECRETS_DONE): return
        case CInt(OCK_SECRETS_LOCKED): throw Self.locked
        case CInt(OCK_SECRETS_DISMISSED):
            throw CallError(.keyringLocked, "the keyring is locked, and the user did not unlock it")
        default:
            let reason = String(cString: ock_secrets_reason()).displayable
            throw CallError(.keyringUnavailable, "no keyring: \(reason)")
        }
    }
}
