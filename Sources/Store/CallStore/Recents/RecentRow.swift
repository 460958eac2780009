// RecentRow: one row of the recents, in the file and on the bus.

internal import CallModel
internal import CallWire
internal import DBus
internal import SQLite

struct RecentRow: Sendable, Hashable {
    /// Nil for a row that has not been written.
    let id: Int64?
    let party: Int64
    let record: CallRecord
    let isRead: Bool

    /// What Recents1 shows.
    var wire: VariantDictionary {
        record.wire.merging(["id": .int64(id ?? 0), "missed": .bool(record.isMissed), "read": .bool(isRead)]) { $1 }
    }

    /// About how many bytes it takes in a message.
    var weight: Int {
        let texts = [record.handle?.value ?? "", record.name, record.filteredBy, record.screening?.reason ?? ""]
        return 700 + texts.reduce(0) { $0 + $1.utf8.count }
    }
}

extension RecentRow {
    /// What is written, by column. The file gives the id.
    private var columns: KeyValuePairs<String, any DatabaseValueConvertible> {
        [
            "call": record.call.description,
            "party": party,
            "provider": record.provider.rawValue,
            "direction": record.direction.rawValue,
            "nameSource": record.nameSource.rawValue,
            "video": record.video,
            "started": Int64(clamping: record.startedAt.microseconds),
            "connected": Int64(clamping: record.connectedAt.microseconds),
            "ended": Int64(clamping: record.end?.at.microseconds ?? 0),
            "duration": Int64(clamping: record.end?.duration ?? 0),
            "reason": record.end?.reason.word ?? "",
            "endedBy": record.end?.by.rawValue ?? "",
            "endDetail": record.end?.network.detail?.rawValue ?? "",
            "endCode": record.end?.network.code ?? "",
            "filtered": record.end?.reason.filter?.rawValue ?? "",
            "filteredBy": record.filteredBy,
            "screening": record.screening?.word.rawValue ?? "",
            "screeningReason": record.screening?.reason ?? "",
            "missed": record.isMissed,
            "open": record.isOpen,
            "read": isRead,
        ]
    }

    /// Adds the row, which gets an id, or replaces the one with its id.
    func write(_ database: Database) throws {
        let names = columns.map(\.key).joined(separator: ", ")
        let values = columns.map(\.value)
        if let id {
            try database.execute("UPDATE recent SET (\(sql: names)) = \(values) WHERE id = \(id)")
        } else {
            try database.execute("INSERT INTO recent (\(sql: names)) VALUES \(values)")
        }
    }
}

extension RecentRow: Fetchable {
    /// What `init(_:)` reads.
    static let selection: SQL = """
        SELECT recent.*, party.handleType, party.handle, party.name
        FROM recent JOIN party ON party.id = recent.party
        """

    /// Returns nil for a row with unknown words, which another program has written.
    ///
    /// - Throws: `RowDecodingError` for values of the wrong kind.
    init?(_ row: Row) throws {
        func text(_ column: String) throws -> String { try row.decode(forColumn: column) }
        // SQLite has no unsigned numbers.
        func count(_ column: String) throws -> UInt64 { UInt64(max(0, try row.decode(Int64.self, forColumn: column))) }
        func date(_ column: String) throws -> WallTime { WallTime(microseconds: try count(column)) }
        guard let call = CallID(try text("call")), let provider = ProviderID(try text("provider")),
            let direction = CallDirection(rawValue: try text("direction"))
        else { return nil }
        var record = CallRecord(call, provider: provider, direction: direction, startedAt: try date("started"))
        let handle = try text("handle")
        record.handle = HandleType(rawValue: try text("handleType")).flatMap { try? Handle(type: $0, value: handle) }
        record.name = try text("name")
        record.nameSource = CallerNameSource(rawValue: try text("nameSource")) ?? .none
        record.video = try row.decode(forColumn: "video")
        record.connectedAt = try date("connected")
        record.filteredBy = try text("filteredBy")
        let reason = try text("screeningReason")
        record.screening = ScreeningVerdict.Word(rawValue: try text("screening")).map {
            ScreeningVerdict($0, reason: reason)
        }
        if try !row.decode(forColumn: "open") {
            let filter = FilterReason(rawValue: try text("filtered"))
            guard let reason = CallRecord.Reason(word: try text("reason"), filter: filter),
                let origin = Origin(rawValue: try text("endedBy"))
            else { return nil }
            record.end = CallRecord.End(
                at: try date("ended"), reason: reason, by: origin, duration: try count("duration"),
                network: NetworkEnd(EndDetail(rawValue: try text("endDetail")), code: try text("endCode")))
        }
        self.init(
            id: try row.decode(forColumn: "id"), party: try row.decode(forColumn: "party"), record: record,
            isRead: try row.decode(forColumn: "read"))
    }
}
