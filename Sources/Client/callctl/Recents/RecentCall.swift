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
        return time("connected") == nil ? text("reason") : Span(milliseconds: count("duration-ms")).text
    }

    var notes: [String] { (isNew ? ["new"] : []) + (flag("video") ? ["video"] : []) }

    var json: JSON { JSON(properties) }

    /// One line per call, the newest first, or "no recents".
    static func table(of calls: [RecentCall], at now: WallTime, on terminal: Terminal) -> String {
        guard !calls.isEmpty else { return "no recents" }
        var table = Table(columns: [
            .right("ID"), "WHEN", "CALL", .flexible("WHO"), .flexible("OUTCOME"), .flexible("PROVIDER"),
            "NOTES",
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
