// AccountSchema: what a plugin wants to know of each account.

public import CallModel

/// The fields in a bundle's `accounts.ini`, in the order of the file.
public struct AccountSchema: Sendable, Hashable {
    /// The file's name in the bundle.
    public static let fileName = "accounts.ini"
    /// The most fields.
    public static let maximumFields = 64
    /// What the user calls the account: a setting that every schema has.
    public static let label: String = "label"

    public let fields: [AccountField]

    init(_ fields: [AccountField]) { self.fields = fields }

    public func field(_ key: String) -> AccountField? { fields.first { $0.key == key } }

    /// The keys of the secrets.
    public var secrets: [String] { fields.filter { $0.kind == .secret }.map(\.key) }

    /// The field of a secret.
    ///
    /// - Throws: `InvalidArguments` if there is none with this key.
    public func secret(_ key: String) throws(CallError) -> AccountField {
        guard let field = field(key), field.kind == .secret else {
            let known = secrets.isEmpty ? "none" : secrets.joined(separator: ", ")
            throw CallError(.invalidArguments, "the schema has no secret \(key.excerpt), its secrets: \(known)")
        }
        return field
    }

    /// - Throws: `InvalidArguments` for the first setting that is unknown or invalid.
    public func check(_ settings: [String: AccountValue]) throws(CallError) {
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
            guard let field = field(key) else {
                let known = fields.filter { $0.kind != .secret }.map(\.key).joined(separator: ", ")
                throw CallError(.invalidArguments, "the schema has no setting \(key.excerpt), its settings: \(known)")
            }
            try field.check(value)
        }
    }

    /// The label of the first required setting that is missing; nil if all are there.
    public func missing(in settings: [String: AccountValue]) -> String? {
        fields.first { field in
            field.kind != .secret && field.isRequired && field.standard == nil && settings[field.key] == nil
        }?.label
    }

    /// The settings with the defaults of those that are missing.
    public func completed(_ settings: [String: AccountValue]) -> [String: AccountValue] {
        var complete = settings
        for field in fields where complete[field.key] == nil { complete[field.key] = field.standard }
        return complete
    }

    /// Whether a change of these settings makes the plugin connect anew.
    public func needsReconnect(from old: [String: AccountValue], to new: [String: AccountValue]) -> Bool {
        fields.contains { $0.needsReconnect && old[$0.key] != new[$0.key] }
    }
}
