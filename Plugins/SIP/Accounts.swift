// Accounts: the user's SIP accounts, each with a provider of its own.

import EventLoop
import OpenCallKit
import SIPCalls

/// The providers by their accounts. All of it is on the loop; the delegate only leads there.
@LoopActor
final class Accounts {
    private let delegate = AccountsDelegate()
    private var providers: [UUID: AccountProvider] = [:]
    private var lastNumber: UInt32 = 0
    private let hasEngine: Bool

    init() {
        // No event comes before this method has returned.
        hasEngine = Engine.start() == 0
        Engine.onAccountEvent = { [weak self] account, event in self?.provider(account)?.receive(event) }
        Engine.onCallEvent = { [weak self] account, call, event in self?.provider(account)?.receive(event, of: call) }
        delegate.accounts = self
        PluginAccounts.setDelegate(delegate)
    }

    /// Events of an account that was removed have no provider any more.
    private func provider(_ number: UInt32) -> AccountProvider? { providers.values.first { $0.number == number } }

    func add(_ account: PluginAccount) {
        providers[account.identifier]?.close()
        lastNumber += 1
        let provider = AccountProvider(account, number: lastNumber)
        providers[account.identifier] = provider
        if !hasEngine { provider.engineIsMissing() }
    }

    func change(_ account: PluginAccount) { providers[account.identifier]?.change(account) }

    func remove(_ account: PluginAccount) { providers.removeValue(forKey: account.identifier)?.close() }
}

private final class AccountsDelegate: PluginAccountsDelegate, Sendable {
    @LoopActor weak var accounts: Accounts?

    nonisolated init() {}

    func accountAdded(_ account: PluginAccount) { Loop.shared.post { self.accounts?.add(account) } }
    func accountChanged(_ account: PluginAccount) { Loop.shared.post { self.accounts?.change(account) } }
    func accountRemoved(_ account: PluginAccount) { Loop.shared.post { self.accounts?.remove(account) } }
}
