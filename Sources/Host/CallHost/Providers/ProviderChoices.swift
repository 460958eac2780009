// ProviderChoices: what the user prefers and trusts, and the order in which providers came.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// Keeps the default providers, those that reach the emergency services, and the order in which the providers of plugins
/// registered for the first time, which they keep across starts.
@LoopActor
final class ProviderChoices {
    private let context: HostContext
    private let defaultsFile: SettingsFile<DefaultProviderSettings>
    private let emergencyFile: SettingsFile<EmergencyProviderSettings>
    private let knownFile: SettingsFile<KnownProviderSettings>

    init(_ context: HostContext) {
        self.context = context
        defaultsFile = SettingsFile("default-providers", of: "the default providers", for: context)
        emergencyFile = SettingsFile("emergency-providers", of: "the emergency providers", for: context)
        knownFile = SettingsFile("known-providers", of: "the providers in their order", for: context)
    }

    /// Takes over what was chosen when the daemon ran the last time.
    func load() {
        let order = knownFile.read().order
        if !order.isEmpty { context.submit(.providersKnown(order)) }
        let choice = defaultsFile.read().choice
        if !choice.isEmpty { context.submit(.defaultProvidersSet(choice)) }
        let providers = emergencyFile.read().providers
        if !providers.isEmpty { context.submit(.emergencyProvidersSet(providers)) }
        defaultsFile.follow { [weak self] in self?.adopt($0) }
        emergencyFile.follow { [weak self] in self?.adopt($0) }
    }

    private func adopt(_ new: DefaultProviderSettings) {
        guard new.choice != context.core.defaultProviders else { return }
        context.submit(.defaultProvidersSet(new.choice))
        context.tree.propertiesChanged(at: .system, Contract.callSystem, ["DefaultProviders"])
    }

    private func adopt(_ new: EmergencyProviderSettings) {
        guard new.providers != context.core.emergencyProviders else { return }
        context.submit(.emergencyProvidersSet(new.providers))
        context.tree.propertiesChanged(at: .system, Contract.callSystem, ["EmergencyProviders"])
    }

    /// The ids of the default providers, by URI scheme or handle type.
    var defaults: [String: String] { context.core.defaultProviders.mapValues(\.rawValue) }

    /// The ids of the providers that the user marked as ones that reach the emergency services.
    var emergency: [String] { context.core.emergencyProviders.map(\.rawValue).sorted() }

    /// Writes the choice down, puts it in force and tells the bus.
    ///
    /// - Throws: `InvalidArguments`; `StoreUnavailable` if it cannot be written. Nothing has changed then.
    func setDefaults(_ wire: [String: String]) throws(CallError) {
        try defaultsFile.keep(try DefaultProviderSettings(wire), adopt)
    }

    /// Writes the choice down, puts it in force and tells the bus. A provider that is left out is trusted no longer, even if
    /// that cannot be written.
    ///
    /// - Throws: `InvalidArguments`; `StoreUnavailable` if it cannot be written. No provider has been added then.
    func setEmergency(_ wire: [String]) throws(CallError) {
        let new = try EmergencyProviderSettings(wire)
        let present = context.core.emergencyProviders
        let lesser = EmergencyProviderSettings(new.providers.intersection(present))
        try emergencyFile.keep(new, orHold: lesser.providers == present ? nil : lesser, adopt)
    }

    /// Writes the order down after a plugin has registered a provider, if that is a new one. The order holds for this run
    /// even if it cannot be written, which the log and `Health` tell.
    func remember() {
        let order = KnownProviderSettings(order: context.core.knownProviders)
        try? knownFile.keep(order, isAdopting: false, orHold: order) { _ in }
    }
}

/// The providers that the user prefers, a scheme or handle type and an id in each line.
struct DefaultProviderSettings: SettingsText {
    static let title = ""
    private static let maximum = 32

    /// By URI scheme or handle type.
    private(set) var choice: [String: ProviderID] = [:]

    init() {}

    /// - Throws: `InvalidArguments` for a key that is neither a scheme nor a handle type, an invalid id, or too many entries.
    init(_ wire: [String: String]) throws(CallError) {
        guard wire.count <= Self.maximum else {
            throw CallError(
                .invalidArguments, "DefaultProviders has \(wire.count) entries, expected at most \(Self.maximum)")
        }
        for (key, value) in wire { try set(key, value) }
    }

    private mutating func set(_ key: String, _ value: String) throws(CallError) {
        guard HandleType(rawValue: key) != nil || DialString.isScheme(key) else {
            throw CallError(
                .invalidArguments, "\"\(key.excerpt)\" is neither a URI scheme such as sip nor a handle type")
        }
        guard let id = Contract.provider(named: value) else {
            throw CallError(
                .invalidArguments, "\"\(value.excerpt)\" for \(key) is not the id or the path of a provider")
        }
        choice[key] = id
    }

    var text: String { choice.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined() }

    mutating func parse(_ line: String) throws(CallError) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 2, choice.count < Self.maximum else {
            throw CallError(.invalidArguments, "\"\(line.excerpt)\" is not a scheme and a provider id, or one too many")
        }
        try set(words[0], words[1])
    }
}

/// The providers that the user trusts with emergency calls, an id in each line.
struct EmergencyProviderSettings: SettingsText {
    static let title = ""
    private static let maximum = 32

    private(set) var providers: Set<ProviderID> = []

    init() {}

    init(_ providers: Set<ProviderID>) { self.providers = providers }

    /// - Throws: `InvalidArguments` for an invalid id, or too many.
    init(_ wire: [String]) throws(CallError) {
        guard wire.count <= Self.maximum else {
            throw CallError(
                .invalidArguments, "EmergencyProviders has \(wire.count) entries, expected at most \(Self.maximum)")
        }
        for text in wire { try parse(text) }
    }

    var text: String { providers.map { "\($0)\n" }.sorted().joined() }

    mutating func parse(_ line: String) throws(CallError) {
        guard let id = Contract.provider(named: line) else {
            throw CallError(.invalidArguments, "\"\(line.excerpt)\" is not the id or the path of a provider")
        }
        guard providers.contains(id) || providers.count < Self.maximum else {
            throw CallError(.invalidArguments, "more than \(Self.maximum) providers")
        }
        providers.insert(id)
    }
}

/// The providers of plugins in the order in which they came, an id in each line.
struct KnownProviderSettings: SettingsText {
    static let title = ""
    static let maximumLines = 10_000

    var order: [ProviderID] = []

    var text: String { order.map { "\($0)\n" }.joined() }

    mutating func parse(_ line: String) throws(CallError) {
        guard let id = ProviderID(line) else {
            throw CallError(.invalidArguments, "\"\(line.excerpt)\" is not a valid provider id")
        }
        order.append(id)
    }
}
