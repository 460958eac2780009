// AccountRecord: what is kept of an account, and its text.

import CallModel
import CallScenario
import CallWire
import WorkerLaunch

/// An account as the user has set it up.
struct AccountRecord: Sendable, Equatable {
    let id: AccountID
    let plugin: String
    var settings: [String: AccountValue] = [:]
    var isEnabled = false
    /// The keys of the secrets that were stored.
    var secrets: Set<String> = []
    /// Where they are.
    var storage: SecretStorage?

    /// The record once the memory that may have had its secrets is gone.
    var withoutMemory: AccountRecord {
        guard storage == .memory else { return self }
        var record = self
        (record.secrets, record.storage) = ([], nil)
        return record
    }

    /// What is still missing of what the schema requires, for people; nil if nothing is.
    func missingSecret(of schema: AccountSchema) -> String? {
        schema.fields.first { $0.kind == .secret && $0.isRequired && !secrets.contains($0.key) }?.label
    }
}

/// Where secrets of an account may be.
struct SecretPlace: Sendable, Hashable {
    let account: AccountID
    let storage: SecretStorage
}

/// All accounts, and where secrets are that no account has, as a file of text in the words of scenario files.
struct AccountList: Sendable, SettingsText {
    static let title = "accounts"
    var records: [AccountRecord] = []
    /// Places that are to be cleared: of accounts that are gone, and of those whose secrets were, or were to be, elsewhere.
    var leftovers: Set<SecretPlace> = []

    /// The most accounts in all, and of one plugin.
    static let maximum = 64
    static let maximumOfPlugin = 16
    /// The longest text, in bytes: more than so many accounts with 64 settings each take, all of them as long as can be.
    static let longest = 16 << 20
    static let maximumLines = 1 << 18
    /// The most leftovers that are remembered.
    static let maximumLeftovers = 256

    init() {}

    var text: String {
        var lines = ["accounts"]
        for record in records {
            let id = record.id.rawValue
            let storage = record.storage.map { " storage=\($0.rawValue)" } ?? ""
            lines.append("account id=\(id) plugin=\(record.plugin) enabled=\(record.isEnabled.word)\(storage)")
            for (key, value) in record.settings.sorted(by: { $0.key < $1.key }) {
                lines.append("setting id=\(id) key=\(key) \(value.word)")
            }
            for key in record.secrets.sorted() where record.storage != .memory {
                lines.append("secret id=\(id) key=\(key)")
            }
        }
        lines += leftovers.map { "removed id=\($0.account.rawValue) storage=\($0.storage.rawValue)" }.sorted()
        return lines.map { $0 + "\n" }.joined()
    }

    mutating func parse(_ line: String) throws(CallError) {
        var words = try Words(line)
        let kind = try words.read("what the line is")
        guard let id = words.value("id").flatMap(AccountID.init(rawValue:)) else {
            throw CallError(.invalidArguments, "the line has no valid id: \(line.excerpt)")
        }
        try parse(kind, id, words)
    }

    /// An account of which a line cannot be read is disabled: what is missing may be how it is to be protected. A line without
    /// a readable id is taken for one of the account before it.
    mutating func doubt(_ line: String) {
        let id = line.value(after: "id=").flatMap(AccountID.init(rawValue:))
        let place = id.map { id in records.firstIndex { $0.id == id } } ?? records.indices.last
        if let place { records[place].isEnabled = false }
    }

    private mutating func parse(_ kind: String, _ id: AccountID, _ words: Words) throws(CallError) {
        let invalid = CallError(.invalidArguments, "the line is invalid: \(words.line.excerpt)")
        let place = records.firstIndex { $0.id == id }
        switch (kind, place) {
        case ("account", nil):
            guard let plugin = words.value("plugin"), !plugin.isEmpty, let isEnabled = try words.flag("enabled") else {
                throw invalid
            }
            guard records.count < Self.maximum else {
                throw CallError(.invalidArguments, "the file has more than \(Self.maximum) accounts")
            }
            var record = AccountRecord(id: id, plugin: plugin)
            record.isEnabled = isEnabled
            record.storage = try words.word("storage", SecretStorage.self)
            records.append(record)
        case ("setting", let place?):
            guard let key = words.value("key"), let value = try AccountValue(words) else { throw invalid }
            records[place].settings[key] = value
        case ("secret", let place?):
            guard let key = words.value("key") else { throw invalid }
            records[place].secrets.insert(key)
        case ("removed", _):
            let storage = try words.word("storage", SecretStorage.self) ?? .keyring
            guard leftovers.count < Self.maximumLeftovers else {
                throw CallError(.invalidArguments, "the file has more than \(Self.maximumLeftovers) lines removed")
            }
            leftovers.insert(SecretPlace(account: id, storage: storage))
        default: throw invalid
        }
    }
}

extension AccountValue {
    fileprivate var word: String {
        switch self {
        case .string(let text): "string=\(text.quoted)"
        case .boolean(let flag): "boolean=\(flag.word)"
        case .number(let number): "number=\(number)"
        }
    }

    fileprivate init?(_ words: Words) throws(CallError) {
        if let text = words.value("string") {
            self = .string(text)
        } else if let flag = try words.flag("boolean") {
            self = .boolean(flag)
        } else if let number = try words.number("number").flatMap({ UInt32(exactly: $0) }) {
            self = .number(number)
        } else {
            return nil
        }
    }
}
