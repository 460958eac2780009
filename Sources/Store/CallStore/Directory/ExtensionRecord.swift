// ExtensionRecord: an extension's setting, and how its last load went.

internal import DBus
import Foundation

struct ExtensionRecord: Codable, Equatable, Sendable {
    /// How a load went.
    struct Load: Codable, Equatable, Sendable {
        /// When the load ended, in µs since the epoch.
        var at: UInt64
        /// In milliseconds.
        var duration: UInt64
        var isIncremental: Bool
        /// The name of the error without its prefix; "" for none.
        var error = ""
        var message = ""
    }

    var isEnabled = false
    var load: Load?

    static func read(_ data: [UInt8]) throws -> [String: ExtensionRecord] {
        try JSONDecoder().decode([String: ExtensionRecord].self, from: Data(data))
    }

    static func bytes(of records: [String: ExtensionRecord]) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        // Numbers and text always encode.
        return (try? encoder.encode(records)).map(Array.init) ?? []
    }
}
