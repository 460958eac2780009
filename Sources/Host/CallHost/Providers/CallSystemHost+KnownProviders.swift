// The order in which the providers of plugins registered for the first time. They keep it across starts.

import CallCore
import CallModel
import EventLoop

extension CallSystemHost {
    /// Writes the order down after a plugin has registered a provider, if that is a new one. The order holds for this run
    /// even if it cannot be written, which the log and `Health` tell.
    func rememberProviders() {
        let order = KnownProviderSettings(order: machine.knownProviders)
        try? knownProvidersFile.keep(order, orHold: order) { _ in }
    }

    func loadKnownProviders() {
        let order = knownProvidersFile.read().order
        if !order.isEmpty { submit(.providersKnown(order)) }
    }
}

/// The ids, one in each line.
struct KnownProviderSettings: SettingsText {
    static let title = ""
    static let maximumLines = 10_000

    var order: [ProviderID] = []

    var text: String { order.map { "\($0)\n" }.joined() }

    mutating func take(_ line: String) throws(CallError) {
        guard let id = ProviderID(line) else {
            throw CallError(.invalidArguments, "\"\(line.excerpt)\" is not a valid provider id")
        }
        order.append(id)
    }
}
