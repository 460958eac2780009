// PluginAccount: one of the user's accounts of this plugin.

internal import CallModel
internal import CallWire
internal import DBus

/// One of the user's accounts of this plugin, as it was handed over. Not in CallKit.
///
/// Register one `CXProvider` for it, with `key` as the key of its configuration.
public struct PluginAccount: Sendable, Hashable {
    /// How an account fares.
    public enum State: Sendable, Hashable {
        /// It is being connected.
        case connecting
        /// Calls can be made with it.
        case ready
        /// It cannot be connected. Report that and try again, after pauses that grow.
        case failed(Problem)
    }

    /// Why an account cannot be connected. The raw values are the words on the bus.
    public enum Problem: String, Sendable, Hashable, CaseIterable {
        /// The network refuses the user's name or secret. Do not try again with the same.
        case badCredentials = "bad-credentials"
        /// The network cannot be reached.
        case unreachable
        /// The server's certificate is not valid. No secret was sent.
        case certificate
        /// The network or the plugin lacks something that the settings ask for.
        case unsupported
    }

    /// The account's identity, which never changes.
    public let identifier: UUID
    /// The settings by the keys of the plugin's `accounts.ini`, with the defaults of those that are missing.
    public let settings: [String: CXValue]
    let generation: UInt32
    private var secrets: Hidden
    private let id: AccountID

    /// What the provider's configuration has as its `key`: the identity in small letters, with `_` for `-`.
    public var key: String { id.pathElement }

    /// Returns a secret; nil if the user has not set it. Do not write it anywhere.
    public func secret(_ key: String) -> String? {
        secrets.values[key].flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Tells the user how the account fares.
    /// - Parameters:
    ///   - state: what it is now; the latest report counts.
    ///   - text: one sentence for people; 256 characters are kept.
    public func report(_ state: State, text: String = "") {
        let (word, problem) =
            switch state {
            case .connecting: ("connecting", "")
            case .ready: ("ready", "")
            case .failed(let problem): ("failed", problem.rawValue)
            }
        PluginAccounts.report(id.rawValue, word, problem, text)
    }

    /// Whether a connection of the one can go on as that of the other.
    func isSameConnection(as other: PluginAccount) -> Bool {
        identifier == other.identifier && generation == other.generation
    }

    /// Takes the secrets over from what was handed over before.
    func keepingSecrets(of earlier: [PluginAccount]) -> PluginAccount {
        var account = self
        if let old = earlier.first(where: isSameConnection) { account.secrets = old.secrets }
        return account
    }

    /// Nil for an invalid identity.
    init?(_ wire: AccountWire) {
        let (text, generation, settings, secrets) = wire.fields
        guard let id = AccountID(rawValue: text), let identifier = UUID(uuidString: text) else { return nil }
        self.id = id
        self.identifier = identifier
        self.generation = generation
        self.settings = settings.mapValues { CXValue($0) }
        self.secrets = Hidden(values: secrets)
    }
}

/// Secrets, which no description and no dump shows.
private struct Hidden: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let values: [String: [UInt8]]

    var description: String { "\(values.count) secrets" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
