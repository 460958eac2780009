// ExtensionRecord: an extension's setting, and how its last load went.

internal import CallModel
internal import DBus
internal import FoundationEssentials

struct ExtensionRecord: Codable, Equatable, Sendable {
    /// How a load went.
    struct Load: Codable, Equatable, Sendable {
        /// When the load ended.
        var at: WallTime
        /// In milliseconds.
        var duration: UInt64
        var isIncremental: Bool
        /// The name of the error without its prefix; "" for none.
        var error = ""
        var message = ""
        /// How many parts of its sources the extension left out, and why, for the first ones.
        var leftOut: UInt64?
        var complaints: [String]?
    }

    var isEnabled = false
    var load: Load?

    /// - Returns: the records that can be read, and whether these are all.
    static func read(_ data: [UInt8]) -> ([String: ExtensionRecord], isSound: Bool) {
        guard let found = try? JSONDecoder().decode([String: Entry].self, from: Data(data)) else { return ([:], false) }
        return (found.compactMapValues(\.record), found.values.allSatisfy(\.isSound))
    }

    /// A record as far as it can be read. Its setting counts without the load, too.
    private struct Entry: Decodable {
        var record: ExtensionRecord?
        var isSound = false

        init(from decoder: any Decoder) throws {
            if let whole = try? ExtensionRecord(from: decoder) {
                (record, isSound) = (whole, true)
            } else if let values = try? decoder.container(keyedBy: ExtensionRecord.CodingKeys.self),
                let isEnabled = try? values.decode(Bool.self, forKey: .isEnabled)
            {
                record = ExtensionRecord(isEnabled: isEnabled)
            }
        }
    }

    static func bytes(of records: [String: ExtensionRecord]) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        // Numbers and text always encode.
        return (try? encoder.encode(records)).map(Array.init) ?? []
    }
}
