// SecretMemory: secrets that are kept until the process ends.

import CallModel
import EventLoop

/// The storage `memory`.
@LoopActor
final class SecretMemory {
    private var secrets: [AccountID: [String: Secret]] = [:]

    func store(_ secret: Secret, _ key: String, _ account: AccountID) { secrets[account, default: [:]][key] = secret }

    func lookUp(_ account: AccountID) -> [String: Secret] { secrets[account] ?? [:] }

    /// - Parameter key: Nil removes all of the account's.
    func clear(_ key: String?, _ account: AccountID) {
        if let key { secrets[account]?[key] = nil } else { secrets[account] = nil }
    }

    func eraseAll() { secrets = [:] }
}
