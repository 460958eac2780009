// AccountForm: what a plugin wants to know of an account, and the settings that people type.

import ArgumentParser
import CallModel
import DBus
import EventLoop

/// A plugin's schema, as Schema of Accounts1 returns it.
struct AccountForm: Sendable, Equatable {
    let plugin: String
    let fields: [AccountField]

    /// Leaves out fields whose type is not known.
    init(plugin: String, wire: [VariantDictionary]) {
        self.plugin = plugin
        fields = wire.compactMap(AccountField.init)
    }

    var secrets: [AccountField] { fields.filter { $0.kind == .secret } }

    /// The key of the setting that stands for the label of an account without one.
    var titleKey: String? { fields.first { $0.kind == .string && $0.isRequired }?.key }

    /// Returns the values of settings, with the types of their fields. Of a key that is repeated, the last counts.
    ///
    /// - Throws: `InvalidArguments` for a setting that is unknown, a secret, or has no valid value.
    func settings(_ texts: [SettingText]) throws(Failure) -> VariantDictionary {
        var settings = VariantDictionary()
        for text in texts { settings[text.key] = try value(of: text) }
        return settings
    }

    /// - Throws: `InvalidArguments` if a new account gets nothing of what it needs.
    func check(newAccount settings: VariantDictionary) throws(Failure) {
        let missing = fields.filter { $0.kind != .secret && $0.isRequired && $0.standard == nil }
        guard settings.isEmpty, !missing.isEmpty else { return }
        let words = missing.map { "\($0.key)=\($0.kind.rawValue.uppercased())" }.joined(separator: " ")
        throw Self.invalid(
            "an account of \(plugin) needs \(words); callctl accounts schema \(plugin) explains its settings")
    }

    /// Returns the field of a secret.
    ///
    /// - Throws: `InvalidArguments` if there is none with this key.
    func secret(_ key: String) throws(Failure) -> AccountField {
        guard let field = secrets.first(where: { $0.key == key }) else {
            let known = secrets.isEmpty ? "none" : secrets.map(\.key).joined(separator: ", ")
            throw Self.invalid("\(plugin) has no secret \"\(key.excerpt)\", its secrets: \(known)")
        }
        return field
    }

    private func value(of text: SettingText) throws(Failure) -> Variant {
        guard let field = fields.first(where: { $0.key == text.key }) else {
            let known = fields.filter { $0.kind != .secret }.map(\.key).joined(separator: ", ")
            throw Self.invalid("\(plugin) has no setting \"\(text.key.excerpt)\", its settings: \(known)")
        }
        guard field.kind != .secret else {
            // The value is not repeated.
            throw Self.invalid(
                "\(field.key) is a secret: as an argument, it is visible in the list of processes. callctl asks for it "
                    + "on a terminal, or reads it with --secret-fd")
        }
        do {
            return Variant(try field.value(typed: text.value))
        } catch {
            throw Failure(error)
        }
    }

    private static func invalid(_ message: String) -> Failure { Failure(CallError(.invalidArguments, message)) }
}

extension AccountField {
    /// Reads an entry of Schema. Nil if its key or type is not known.
    init?(wire: VariantDictionary) {
        guard let kind = Kind(rawValue: wire["type", default: ""]) else { return nil }
        self.init(wire["key", default: ""], kind)
        label = wire["label", default: key]
        isRequired = wire["required", default: false]
        needsReconnect = wire["reconnect", default: false]
        values = wire["values", default: [String]()]
        minimum = wire["minimum", default: UInt32(0)]
        maximum = wire["maximum", default: UInt32.max]
        standard = wire["default"].flatMap(AccountValue.init)
    }

    /// The numbers that are valid, for people.
    var range: String { "\(minimum) to \(maximum)" }

    /// The values that are valid, for people.
    var expected: String {
        switch kind {
        case .string: values.isEmpty ? "text" : values.joined(separator: ", ")
        case .boolean: "yes or no"
        case .number: minimum == 0 && maximum == .max ? "a number" : range
        case .secret: "secret"
        }
    }
}

extension AccountValue {
    fileprivate init?(_ variant: Variant) {
        switch variant {
        case .string(let text): self = .string(text)
        case .bool(let flag): self = .boolean(flag)
        case .uint32(let number): self = .number(number)
        default: return nil
        }
    }

    /// This value as it is typed.
    var typed: String {
        switch self {
        case .string(let text): text
        case .boolean(let flag): flag ? "yes" : "no"
        case .number(let number): String(number)
        }
    }
}

extension Variant {
    fileprivate init(_ value: AccountValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .boolean(let flag): .bool(flag)
            case .number(let number): .uint32(number)
            }
    }

    /// This value of a setting as it is typed.
    var typed: String { AccountValue(self)?.typed ?? plainText }
}

/// `key=value`, whose type the schema tells.
struct SettingText: ExpressibleByArgument, Sendable, Equatable {
    let key: String
    let value: String

    init(_ key: String, _ value: String) { (self.key, self.value) = (key, value) }

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        key = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}
