// Tincan: registers a line for each of the user's accounts.

import OpenCallKit

@MainActor
final class Tincan: @MainActor PluginAccountsDelegate {
    private var lines: [UUID: Line] = [:]

    init() { PluginAccounts.setDelegate(self) }

    func accountAdded(_ account: PluginAccount) { lines[account.identifier] = Line(account) }

    // Every field of accounts.ini says Reconnect, so another value means a new account.
    func accountChanged(_ account: PluginAccount) {}

    func accountRemoved(_ account: PluginAccount) { lines.removeValue(forKey: account.identifier)?.close() }
}

@c(opencallkit_plugin_main) public func pluginMain(_ link: CInt) -> CInt { PluginMain.run(link) { Tincan() } }
