// RecentRow: one row of the recents, as the file has it and the bus tells it.

internal import CallModel
internal import DBus
internal import GRDB

struct RecentRow: Sendable, Hashable {
    let id: Int64
    let record: CallRecord
    let isRead: Bool

    /// Nil for a row that makes no sense, which only somebody else can have written.
    ///
    /// - Throws: `RowDecodingError` for one that no program can have written.
    init?(_ row: Row) throws {
        let words: (call: String, provider: String, direction: String) = (
            try row.decode(forColumn: "call"), try row.decode(forColumn: "provider"),
            try row.decode(forColumn: "direction")
        )
        guard let call = CallID(words.call), let provider = ProviderID(words.provider),
            let direction = CallDirection(rawValue: words.direction)
        else { return nil }
        var record = CallRecord(
            call, provider: provider, direction: direction, startedAt: try Self.count("started", of: row))
        let handle: String = try row.decode(forColumn: "handle")
        let type = HandleType(rawValue: try row.decode(forColumn: "handleType"))
        record.handle = type.flatMap { try? Handle(type: $0, value: handle) }
        record.name = try row.decode(forColumn: "name")
        record.nameSource = CallerNameSource(rawValue: try row.decode(forColumn: "nameSource")) ?? .none
        record.video = try row.decode(forColumn: "video")
        record.connectedAt = try Self.count("connected", of: row)
        record.endedAt = try Self.count("ended", of: row)
        record.duration = try Self.count("duration", of: row)
        record.reason = try row.decode(forColumn: "reason")
        record.endedBy = try row.decode(forColumn: "endedBy")
        record.filtered = try row.decode(forColumn: "filtered")
        record.filteredBy = try row.decode(forColumn: "filteredBy")
        record.screening = try row.decode(forColumn: "screening")
        record.isOpen = try row.decode(forColumn: "open")
        id = try row.decode(forColumn: "id")
        isRead = try row.decode(forColumn: "read")
        self.record = record
    }

    /// SQLite has no unsigned numbers.
    private static func count(_ column: String, of row: Row) throws -> UInt64 {
        UInt64(max(0, try row.decode(Int64.self, forColumn: column)))
    }

    /// What List tells.
    var wire: VariantDictionary {
        [
            "id": .int64(id), "call": .string(record.call.description), "provider": .string(record.provider.rawValue),
            "direction": .string(record.direction.rawValue),
            "handle": Variant(Struct(record.handle?.type.rawValue ?? "", record.handle?.value ?? "")),
            "name": .string(record.name), "name-source": .string(record.nameSource.rawValue),
            "video": .bool(record.video), "started": .uint64(record.startedAt),
            "connected": .uint64(record.connectedAt), "ended": .uint64(record.endedAt),
            "duration-ms": .uint64(record.duration), "reason": .string(record.reason),
            "ended-by": .string(record.endedBy), "filtered": .string(record.filtered),
            "filtered-by": .string(record.filteredBy), "screening": .string(record.screening),
            "missed": .bool(record.isMissed), "open": .bool(record.isOpen), "read": .bool(isRead),
        ]
    }

    /// How many bytes it may take in a message, more or less.
    var weight: Int {
        let texts = [record.handle?.value ?? "", record.name, record.filteredBy, record.screening, record.reason]
        return 700 + texts.reduce(0) { $0 + $1.utf8.count }
    }
}
