// A provider for each account, with the flaws of how accounts are connected and given up.

import Glibc
import OpenCallKit

/// Connects accounts whose PIN is 2468.
@MainActor
final class Branches {
    private static let pin = "2468"

    private var branches: [UUID: Flawed] = [:]

    init() { PluginAccounts.setDelegate(self) }
}

extension Branches: @MainActor PluginAccountsDelegate {
    func accountAdded(_ account: PluginAccount) {
        if has(.ignoresAccounts) { return }
        let branch = Flawed(key: account.key)
        branches[account.identifier] = branch
        if has(.tellsItsSecret) {
            let secret = account.secret("pin") ?? ""
            account.report(.failed(.unsupported), text: "no network for \(secret), and none for \(secret)9")
            return
        }
        guard account.secret("pin") == Self.pin else {
            if !has(.sellsRefused) { branch.show(.unauthorized) }
            account.report(.failed(has(.hidesRefusals) ? .unreachable : .badCredentials), text: "The PIN is wrong")
            return
        }
        account.report(has(.neverConnectsAccounts) ? .connecting : .ready)
    }

    func accountChanged(_ account: PluginAccount) {}

    func accountRemoved(_ account: PluginAccount) {
        if has(.hangsWhenRemoved) { while true { pause() } }
        if has(.keepsRemovedAccounts) {
            branches[account.identifier] = Flawed(key: account.key)
        } else {
            branches.removeValue(forKey: account.identifier)?.provider.invalidate()
        }
    }
}
