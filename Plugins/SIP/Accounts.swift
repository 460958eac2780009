// Accounts: the user's SIP accounts, each with a line of its own.

import EventLoop
import OpenCallKit
import SIPCalls

/// The lines by their accounts. All of it is on the loop; the delegate only leads there.
@LoopActor
final class Accounts {
    private let delegate = AccountsDelegate()
    private var lines: [UUID: Line] = [:]
    private var lastNumber: UInt32 = 0
    private let hasEngine: Bool

    init() {
        // No event comes before this method has returned.
        hasEngine = Engine.start() == 0
        Engine.onAccountEvent = { [weak self] account, event in self?.line(account)?.take(event) }
        Engine.onCallEvent = { [weak self] account, call, event in self?.line(account)?.take(event, of: call) }
        delegate.accounts = self
        PluginAccounts.setDelegate(delegate)
    }

    /// Events of an account that was removed have no line any more.
    private func line(_ number: UInt32) -> Line? { lines.values.first { $0.number == number } }

    func add(_ account: PluginAccount) {
        lines[account.identifier]?.close()
        lastNumber += 1
        let line = Line(account, number: lastNumber)
        lines[account.identifier] = line
        if !hasEngine { line.engineIsMissing() }
    }

    func change(_ account: PluginAccount) { lines[account.identifier]?.change(account) }

    func remove(_ account: PluginAccount) { lines.removeValue(forKey: account.identifier)?.close() }
}

private final class AccountsDelegate: PluginAccountsDelegate, Sendable {
    @LoopActor weak var accounts: Accounts?

    nonisolated init() {}

    func accountAdded(_ account: PluginAccount) { Loop.shared.post { self.accounts?.add(account) } }
    func accountChanged(_ account: PluginAccount) { Loop.shared.post { self.accounts?.change(account) } }
    func accountRemoved(_ account: PluginAccount) { Loop.shared.post { self.accounts?.remove(account) } }
}
