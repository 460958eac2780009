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
struct AccountList: Sendable, Equatable {
    var records: [AccountRecord] = []
    /// Places that are to be cleared: of accounts that are gone, and of those whose secrets were, or were to be, elsewhere.
    var leftovers: Set<SecretPlace> = []

    /// The most accounts in all, and of one plugin.
    static let maximum = 64
    static let maximumOfPlugin = 16
    /// The longest text, in bytes: more than so many accounts with 64 settings each take, all of them as long as can be.
    static let longest = 16 << 20
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

    /// - Throws: `InvalidArguments` for anything that `text` would not have written.
    init(text: String) throws(CallError) {
        let lines = text.split(separator: "\n").map(String.init)
        guard lines.first == "accounts", text.hasSuffix("\n") else {
            throw CallError(.invalidArguments, "the first line is not \"accounts\", or the file is cut off")
        }
        for line in lines.dropFirst() {
            var words = try Words(line)
            let kind = try words.take("what the line is")
            guard let id = words.value("id").flatMap(AccountID.init(rawValue:)) else {
                throw CallError(.invalidArguments, "the line has no valid id: \(line.excerpt)")
            }
            try take(kind, id, words)
            guard records.count <= Self.maximum, leftovers.count <= Self.maximumLeftovers else {
                throw CallError(
                    .invalidArguments, "the file has more than \(Self.maximum) accounts, or too many removed")
            }
        }
    }

    private mutating func take(_ kind: String, _ id: AccountID, _ words: Words) throws(CallError) {
        let invalid = CallError(.invalidArguments, "the line is invalid: \(words.line.excerpt)")
        let place = records.firstIndex { $0.id == id }
        switch (kind, place) {
        case ("account", nil):
            guard let plugin = words.value("plugin"), !plugin.isEmpty, let isEnabled = try words.flag("enabled") else {
                throw invalid
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
