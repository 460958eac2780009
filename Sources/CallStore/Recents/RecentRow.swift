// RecentRow: one row of the recents, as the file has it and the bus tells it.

internal import CallModel
internal import DBus
internal import GRDB

struct RecentRow: Sendable, Hashable {
    let id: Int64
    let record: CallRecord
    let isRead: Bool

    /// Nil for a row that makes no sense, which only somebody else can have written.
    init?(_ row: Row) {
        let words: (call: String, provider: String, direction: String) = (
            row["call"], row["provider"], row["direction"]
        )
        guard let call = CallID(words.call), let provider = ProviderID(words.provider),
            let direction = CallDirection(rawValue: words.direction)
        else { return nil }
        var record = CallRecord(call, provider: provider, direction: direction, startedAt: Self.count(row["started"]))
        record.handle = HandleType(rawValue: row["handleType"]).flatMap { try? Handle(type: $0, value: row["handle"]) }
        record.name = row["name"]
        record.nameSource = CallerNameSource(rawValue: row["nameSource"]) ?? .none
        record.video = row["video"]
        record.connectedAt = Self.count(row["connected"])
        record.endedAt = Self.count(row["ended"])
        record.duration = Self.count(row["duration"])
        record.reason = row["reason"]
        record.endedBy = row["endedBy"]
        record.filtered = row["filtered"]
        record.filteredBy = row["filteredBy"]
        record.screening = row["screening"]
        record.isOpen = row["open"]
        id = row["id"]
        isRead = row["read"]
        self.record = record
    }

    /// SQLite has no unsigned numbers.
    private static func count(_ number: Int64) -> UInt64 { UInt64(max(0, number)) }

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
