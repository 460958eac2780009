// AccountField: one thing that a plugin wants to know of an account.

/// The value of a setting.
public enum AccountValue: Sendable, Hashable {
    case string(String)
    case boolean(Bool)
    case number(UInt32)
}

/// A field of a schema, with the values that are valid for it.
public struct AccountField: Sendable, Hashable {
    /// The raw values are the words in files and on the bus.
    public enum Kind: String, Sendable, CaseIterable {
        case string, boolean, number, secret
    }

    /// 1 to 32 characters out of a-z, 0-9 and -.
    public let key: String
    public let kind: Kind
    /// For people.
    public var label: String
    /// Whether an account without it is not handed to the plugin.
    public var isRequired = false
    /// Whether a change makes the plugin connect anew.
    public var needsReconnect = false
    /// Counts while the setting is missing.
    public var standard: AccountValue?
    /// The only strings that are valid; empty = any.
    public var values: [String] = []
    public var minimum: UInt32 = 0
    public var maximum: UInt32 = .max

    /// The longest string, in bytes.
    public static let maximumString = 1_024
    /// The longest secret, in bytes.
    public static let maximumSecret = 4_096
    private static let maximumKey = 32

    /// - Returns: nil if the key is invalid.
    public init?(_ key: String, _ kind: Kind) {
        let isValid = key.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
        }
        guard isValid, (1...Self.maximumKey).contains(key.utf8.count) else { return nil }
        self.key = key
        self.kind = kind
        label = key
    }

    /// - Throws: `InvalidArguments`, naming the field, what it has and what was expected.
    public func check(_ value: AccountValue) throws(CallError) {
        switch (kind, value) {
        case (.string, .string(let text)):
            guard text.utf8.count <= Self.maximumString else {
                throw invalid("has \(text.utf8.count) bytes, expected \(Self.maximumString) at most")
            }
            guard !text.unicodeScalars.contains(where: \.isUnsafeInText) else {
                throw invalid("has control characters")
            }
            guard values.isEmpty || values.contains(text) else {
                throw invalid("is \"\(text.excerpt)\", expected one of \(values.joined(separator: ", "))")
            }
        case (.number, .number(let number)):
            guard minimum <= number, number <= maximum else {
                throw invalid("is \(number), expected \(minimum) to \(maximum)")
            }
        case (.boolean, .boolean): break
        case (.secret, _): throw invalid("is a secret, and no setting: use SetSecret")
        case (.string, _), (.number, _), (.boolean, _): throw invalid("has another type, expected a \(kind.rawValue)")
        }
    }

    func invalid(_ reason: String) -> CallError { CallError(.invalidArguments, "the field \(key) \(reason)") }
}

extension AccountField {
    /// Returns the value that a text stands for: a boolean is `yes` or `true`, `no` or `false`.
    ///
    /// - Throws: `InvalidArguments`, naming the field and what was expected; for a secret as well.
    public func value(typed text: String) throws(CallError) -> AccountValue {
        let value: AccountValue
        switch kind {
        // Of a secret nothing is repeated.
        case .string, .secret: value = .string(text)
        case .boolean:
            guard let flag = Self.flags[text.lowercased()] else {
                throw invalid("is \"\(text.excerpt)\", expected yes or no")
            }
            value = .boolean(flag)
        case .number:
            guard let number = UInt32(text) else {
                throw invalid("is \"\(text.excerpt)\", expected \(minimum) to \(maximum)")
            }
            value = .number(number)
        }
        try check(value)
        return value
    }

    private static let flags = ["yes": true, "true": true, "no": false, "false": false]
}
