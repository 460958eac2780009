// AccountSchema: what a plugin wants to know of each account.

public import CallModel
internal import EventLoop
public import Files

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
            throw CallError(.invalidArguments, "the schema has no secret \"\(key.excerpt)\", its secrets: \(known)")
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

extension AccountSchema {
    /// Reads the schema in a bundle; nil if it has none.
    ///
    /// - Throws: the failed call, or `NotSupported` naming the line that is invalid.
    public static func read(inBundle folder: String) throws -> AccountSchema? {
        guard !folder.isEmpty, let text = try ConfigurationText.read("\(folder)/\(fileName)") else { return nil }
        return try AccountSchema(text)
    }

    /// - Throws: `NotSupported` naming the line that is invalid.
    public init(_ text: ConfigurationText) throws(CallError) {
        var groups: [Group] = []
        for entry in text.entries {
            if entry.key.hasPrefix("["), entry.value == nil {
                guard entry.key.hasSuffix("]") else { throw Self.invalid(entry.line, "is not [key]") }
                groups.append(Group(key: String(entry.key.dropFirst().dropLast()), line: entry.line))
            } else if let value = entry.value, let last = groups.indices.last {
                guard Group.words.contains(entry.key) else {
                    throw Self.invalid(
                        entry.line,
                        "has \(entry.key.plainExcerpt), expected one of \(Group.words.joined(separator: ", "))")
                }
                groups[last].lines[entry.key] = (value, entry.line)
            } else {
                throw Self.invalid(entry.line, "is neither [key] nor, below that, Word = value")
            }
        }
        guard (1...Self.maximumFields).contains(groups.count) else {
            throw CallError(
                .notSupported, "\(Self.fileName) has \(groups.count) fields, expected 1 to \(Self.maximumFields)")
        }
        var fields: [AccountField] = []
        for group in groups {
            let field = try group.field()
            guard !fields.contains(where: { $0.key == field.key }) else {
                throw Self.invalid(group.line, "has the field \(field.key) again")
            }
            fields.append(field)
        }
        if let label = AccountField(Self.label, .string), !fields.contains(where: { $0.key == label.key }) {
            var label = label
            label.label = "Label"
            fields.append(label)
        }
        self.init(fields)
    }

    fileprivate static func invalid(_ line: Int, _ reason: String) -> CallError {
        CallError(.notSupported, "\(fileName), line \(line) \(reason)")
    }
}

/// The lines of one field.
private struct Group {
    let key: String
    let line: Int
    var lines: [String: (value: String, line: Int)] = [:]

    static let words = ["Type", "Label", "Required", "Reconnect", "Default", "Values", "Minimum", "Maximum"]

    func field() throws(CallError) -> AccountField {
        guard let type = lines["Type"] else { throw AccountSchema.invalid(line, "begins a field without Type") }
        guard let kind = AccountField.Kind(rawValue: type.value) else {
            let known = AccountField.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw AccountSchema.invalid(type.line, "has the type \(type.value.plainExcerpt), expected one of \(known)")
        }
        guard var field = AccountField(key, kind) else {
            throw AccountSchema.invalid(line, "has no valid key, expected 1 to 32 characters out of a-z, 0-9 and -")
        }
        if let label = lines["Label"] { field.label = label.value.displayable }
        field.isRequired = try flag("Required")
        field.needsReconnect = try flag("Reconnect")
        if let values = lines["Values"] {
            guard kind == .string else { throw AccountSchema.invalid(values.line, "has values, but no string") }
            field.values = values.value.split(separator: ";").map { String($0).displayable }
        }
        if let minimum = try number("Minimum", of: kind) { field.minimum = minimum }
        if let maximum = try number("Maximum", of: kind) { field.maximum = maximum }
        if let standard = lines["Default"] {
            let value = try value(standard, kind)
            do throws(CallError) {
                try field.check(value)
            } catch {
                throw AccountSchema.invalid(standard.line, "has an invalid default: \(error.message)")
            }
            field.standard = value
        }
        return field
    }

    private func value(_ text: (value: String, line: Int), _ kind: AccountField.Kind) throws(CallError) -> AccountValue
    {
        switch kind {
        case .string: .string(text.value.displayable)
        case .boolean: .boolean(try flag("Default"))
        case .number: .number(try number("Default", of: kind) ?? 0)
        case .secret: throw AccountSchema.invalid(text.line, "has a default for a secret")
        }
    }

    private func flag(_ word: String) throws(CallError) -> Bool {
        guard let text = lines[word] else { return false }
        guard let flag = Bool(text.value) else { throw AccountSchema.invalid(text.line, "is neither true nor false") }
        return flag
    }

    private func number(_ word: String, of kind: AccountField.Kind) throws(CallError) -> UInt32? {
        guard let text = lines[word] else { return nil }
        guard kind == .number, let number = UInt32(text.value) else {
            throw AccountSchema.invalid(text.line, "has \(word), expected that of a number: 0 to \(UInt32.max)")
        }
        return number
    }
}
