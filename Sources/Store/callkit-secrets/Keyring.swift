// Keyring: the Secret Service, without ever waiting on the loop's thread.

import CallModel
import EventLoop

/// The storage `keyring`. What may ask the user runs on a thread of its own, so that a question does not delay look-ups.
///
/// A question that is open when the process ends stays until it is answered: gnome-keyring 42 aborts when it is told to take
/// one back.
@LoopActor
final class Keyring {
    private let reading: KeyringThread
    private let asking: KeyringThread
    /// The question to the user.
    private var question: Task<CallError?, Never>?

    nonisolated init() throws(SystemError) {
        reading = try KeyringThread("keyring-read")
        asking = try KeyringThread("keyring-ask")
    }

    /// Asks the user once if the keyring is locked.
    func store(_ secret: Secret, _ key: String, _ account: AccountID) async throws(CallError) {
        if try await asking.store(secret, key, account) { return }
        try await unlock()
        guard try await asking.store(secret, key, account) else { throw KeyringThread.locked }
    }

    func lookUp(_ account: AccountID) async throws(CallError) -> [String: Secret] {
        try await reading.lookUp(account)
    }

    /// - Parameter key: Nil removes all of the account's.
    func clear(_ key: String?, _ account: AccountID) async throws(CallError) {
        try await asking.clear(key, account)
    }

    /// Asks the user, or waits for the answer to the question that is open.
    func unlock() async throws(CallError) {
        let asked = question ?? ask()
        if let error = await asked.value { throw error }
    }

    private func ask() -> Task<CallError?, Never> {
        let task = Task { [self] () -> CallError? in
            defer { question = nil }
            do throws(CallError) {
                try await asking.unlock()
                return nil
            } catch {
                return error
            }
        }
        question = task
        return task
    }
}
