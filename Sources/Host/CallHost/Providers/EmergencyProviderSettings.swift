// EmergencyProviderSettings: the providers that the user trusts with emergency calls, an id in each line.

import CallCore
import CallModel

struct EmergencyProviderSettings: SettingsText {
    static let title = ""
    private static let maximum = 32

    private(set) var providers: Set<ProviderID> = []

    init() {}

    init(_ providers: Set<ProviderID>) { self.providers = providers }

    /// - Throws: `InvalidArguments` for an invalid id, or too many.
    init(_ wire: [String]) throws(CallError) {
        guard wire.count <= Self.maximum else {
            throw CallError(.invalidArguments, "\(wire.count) providers, expected at most \(Self.maximum)")
        }
        for text in wire { try take(text) }
    }

    var text: String { providers.map { "\($0)\n" }.sorted().joined() }

    mutating func take(_ line: String) throws(CallError) {
        guard let id = ProviderID(line) else {
            throw CallError(.invalidArguments, "\"\(line.excerpt)\" is not a valid provider id")
        }
        guard providers.contains(id) || providers.count < Self.maximum else {
            throw CallError(.invalidArguments, "more than \(Self.maximum) providers")
        }
        providers.insert(id)
    }
}
