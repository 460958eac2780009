// One row of recents.

import CallClient
import CallModel
import DBus
import EventLoop

/// A past or present call, as returned by Recents1.
struct RecentCall: Readable, Sendable, Equatable {
    let properties: VariantDictionary

    /// The row's id; 0 if the row is invalid.
    var id: UInt64 { count("id") }
    var party: String { party("name", "handle") }
    var isMissed: Bool { flag("missed") }
    var isNew: Bool { isMissed && !flag("read") }
    private var isFiltered: Bool { !text("filtered").isEmpty }

    /// `missed`, `filtered`, or the direction.
    var kind: String {
        if isMissed { return "missed" }
        return isFiltered ? "filtered" : text("direction")
    }

    var kindStyle: Style {
        if isMissed { return .red }
        return isFiltered ? .dim : .plain
    }

    /// The call's duration, or why it was not connected.
    var outcome: String {
        if isFiltered {
            let (reason, source) = (text("filtered"), text("filtered-by"))
            return source.isEmpty || source == reason ? reason : "\(reason) by \(source)"
        }
        if flag("open") { return "in progress" }
        guard time("connected") == nil else { return Span(milliseconds: count("duration-ms")).text }
        let detail = text("end-detail")
        return text("reason") + (detail.isEmpty ? "" : " (\(detail))")
    }

    var notes: [String] { (isNew ? ["new"] : []) + (flag("video") ? ["video"] : []) }

    var json: JSON { JSON(properties) }

    /// One line per call, the newest first, or "no recents".
    static func table(of calls: [RecentCall], at now: WallTime, on terminal: Terminal) -> String {
        guard !calls.isEmpty else { return "no recents" }
        var table = Table(columns: [
            .right("ID"), .fixed("WHEN").leaves(4), .fixed("CALL").leaves(3), .main("WHO"), .flexible("OUTCOME"),
            .flexible("PROVIDER").leaves(1), .fixed("NOTES").leaves(2),
        ])
        table.rows = calls.map { call in
            [
                Cell(String(call.id), call.isNew ? .bold : .plain),
                Cell(call.time("started")?.calendarText(at: now) ?? ""), Cell(call.kind, call.kindStyle),
                Cell(call.party, call.isNew ? .bold : .plain), Cell(call.outcome), Cell(call.text("provider-id"), .dim),
                Cell(call.notes.joined(separator: ", "), .yellow),
            ]
        }
        return table.text(on: terminal)
    }
}

extension Session {
    /// The number of rows to request at once; the answer may have fewer.
    nonisolated static let recentsPage: UInt64 = 200

    /// Returns the newest calls that pass `filter`, newest first.
    func recents(_ filter: VariantDictionary, atMost limit: UInt64) async throws(Failure) -> [RecentCall] {
        var calls: [RecentCall] = []
        try await eachRecent(filter, atMost: limit) { calls += $0 }
        return calls
    }

    /// Passes calls to `body` page by page, newest first. Calls that come or go meanwhile do not shift the pages.
    func eachRecent(
        _ filter: VariantDictionary, atMost limit: UInt64 = .max, _ body: ([RecentCall]) throws(Failure) -> Void
    ) async throws(Failure) {
        var filter = filter
        var left = limit
        while left > 0 {
            let count = UInt32(min(left, Self.recentsPage))
            let rows: [VariantDictionary] = try await call(
                at: DaemonPath.recents, Contract.recents, "List", filter, UInt32(0), count,
                waiting: Self.quickTimeout)
            let page = rows.map { RecentCall(properties: $0) }
            guard let last = page.last else { return }
            try body(page)
            filter["before"] = .int64(Int64(clamping: last.id))
            left -= min(left, UInt64(page.count))
        }
    }
}
