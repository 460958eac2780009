// DefaultProviderSettings: the providers that the user prefers, a scheme or handle type and an id in each line.

import CallCore
import CallModel

struct DefaultProviderSettings: SettingsText {
    static let title = ""
    private static let maximum = 32

    /// By URI scheme or handle type.
    private(set) var choice: [String: ProviderID] = [:]

    init() {}

    /// - Throws: `InvalidArguments` for a key that is neither a scheme nor a handle type, an invalid id, or too many entries.
    init(_ wire: [String: String]) throws(CallError) {
        guard wire.count <= Self.maximum else {
            throw CallError(.invalidArguments, "\(wire.count) entries, expected at most \(Self.maximum)")
        }
        for (key, value) in wire { try set(key, value) }
    }

    private mutating func set(_ key: String, _ value: String) throws(CallError) {
        guard HandleType(rawValue: key) != nil || DialString.isScheme(key) else {
            throw CallError(
                .invalidArguments, "\"\(key.excerpt)\" is neither a URI scheme such as sip nor a handle type")
        }
        guard let id = ProviderID(value) else {
            throw CallError(.invalidArguments, "\"\(value.excerpt)\" for \(key) is not a valid provider id")
        }
        choice[key] = id
    }

    var text: String { choice.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined() }

    mutating func take(_ line: String) throws(CallError) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 2, choice.count < Self.maximum else {
            throw CallError(.invalidArguments, "\"\(line.excerpt)\" is not a scheme and a provider id, or one too many")
        }
        try set(words[0], words[1])
    }
}
