// Zoos: MonkeyCall's accounts, each with a provider of its own.

import OpenCallKit

/// Registers a provider for each of the user's accounts. A zoo lets nobody in with the PIN 0000.
@MainActor
final class Zoos {
    private static let wrongPIN = "0000"

    private let callManager: ActiveCallManager
    private var providers: [UUID: MonkeyCallDelegate] = [:]

    init(callManager: ActiveCallManager) {
        self.callManager = callManager
        PluginAccounts.setDelegate(self)
    }

    private func name(of account: PluginAccount) -> String {
        account.settings["label"]?.stringValue ?? account.settings["zoo"]?.stringValue ?? "MonkeyCall"
    }
}

extension Zoos: @MainActor PluginAccountsDelegate {
    func accountAdded(_ account: PluginAccount) {
        let delegate = MonkeyCallDelegate(callManager: callManager, name: name(of: account), key: account.key)
        providers[account.identifier] = delegate
        guard account.secret("pin") != Self.wrongPIN else {
            let configuration = delegate.provider.configuration
            configuration.availability = .unauthorized
            configuration.status = "The zoo refuses the PIN"
            delegate.provider.configuration = configuration
            return account.report(.failed(.badCredentials), text: "The zoo refuses the PIN")
        }
        account.report(.ready)
    }

    func accountChanged(_ account: PluginAccount) {
        guard let provider = providers[account.identifier]?.provider else { return }
        let configuration = provider.configuration
        configuration.localizedName = name(of: account)
        provider.configuration = configuration
    }

    func accountRemoved(_ account: PluginAccount) {
        providers.removeValue(forKey: account.identifier)?.provider.invalidate()
    }
}
