// AccountKeyring: what the accounts make of the keyring, and of callkit-secrets: asking for it, and going on when it is there.

import CallCore
import CallModel
import EventLoop
import Logging

/// Asks the user to unlock the keyring, and delivers accounts anew when their secrets may be there, or are gone.
@LoopActor
final class AccountKeyring {
    private unowned let accounts: AccountSupervisor
    /// Whether the user was asked to unlock the keyring, which the daemon does once by itself.
    private var hasAsked = false
    private var isUnlocking = false

    init(_ accounts: AccountSupervisor) { self.accounts = accounts }

    /// Takes notice from now on of what callkit-secrets says, and of its end and its return.
    func watch() {
        accounts.secrets.onKeyringChanged = { [weak self] in self?.changed() }
        accounts.secrets.onLost = { [weak self] in self?.lost() }
        accounts.secrets.onStarted = { [weak self] in self?.returned() }
    }

    /// Asks the user to unlock the keyring, at the first time by itself.
    func askOnce() {
        guard !hasAsked else { return }
        unlock()
    }

    /// Asks the user to unlock the keyring, unless that question is open.
    func unlock() {
        hasAsked = true
        guard !isUnlocking else { return }
        isUnlocking = true
        Task {
            do throws(CallError) {
                try await accounts.secrets.unlock()
                changed()
            } catch {
                accounts.context.notices.log(.notice, "the keyring stays locked: \(error.message)", by: nil)
            }
            isUnlocking = false
        }
    }

    /// The keyring has come, or was unlocked.
    private func changed() {
        deliver { $0.record.storage == .keyring }
        accounts.leftovers.clear()
    }

    /// callkit-secrets has ended: what was in its memory is gone.
    private func lost() {
        for account in accounts.accounts where account.record.storage == .memory {
            account.record = account.record.withoutMemory
            account.found = nil
            accounts.changed(account)
        }
    }

    /// callkit-secrets runs again: accounts that waited for it need not wait any longer.
    private func returned() {
        deliver { if case .unavailable = $0.trouble { true } else { false } }
    }

    /// Delivers all accounts of the plugins that have a concerned one in use.
    private func deliver(_ isConcerned: (Account) -> Bool) {
        let concerned = accounts.accounts.filter { $0.record.isEnabled && isConcerned($0) }
        for plugin in Set(concerned.map(\.record.plugin)) { accounts.deliveries.deliver(to: plugin) }
    }
}
