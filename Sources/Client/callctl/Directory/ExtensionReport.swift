// One extension of the call directory.

import CallClient
import CallModel
import DBus
import EventLoop

/// An extension, as shown by DirectoryExtension1: its id, its status, its entries, and the state of loading.
struct ExtensionReport: Readable, Sendable, Equatable {
    let id: String
    let properties: VariantDictionary

    init(id: String, _ properties: VariantDictionary) {
        self.id = id
        self.properties = properties
    }

    /// Creates an extension from the properties of its interface; nil if they could not be read.
    init?(id: String, of interface: VariantDictionary) {
        guard let status = interface["Status"],
            var report: VariantDictionary = try? interface["Report"]?.value()
        else { return nil }
        report["status"] = status
        report["message"] = interface["ErrorMessage"]
        report["complaints"] = interface["Complaints"]
        self.init(id: id, report)
    }

    var isEnabled: Bool { text("status") == "enabled" }
    var isLoading: Bool { flag("loading") }
    var state: String { isLoading ? "loading" : text("status") }

    var stateStyle: Style {
        if isLoading { return .yellow }
        return isEnabled ? .green : .dim
    }

    /// The error of the last load, such as `EntriesOutOfOrder: …`; "" if there was none.
    var trouble: String {
        let (name, message) = (text("error"), text("message"))
        return name.isEmpty || message.isEmpty ? name + message : "\(name): \(message)"
    }

    /// The error of the last load, as a refusal of Reload.
    var failure: Failure? { text("error").isEmpty ? nil : Failure(.refused, trouble) }

    private var troubleCell: Cell {
        trouble.isEmpty && count("left-out") > 0 ? Cell("left out \(leftOut)", .yellow) : Cell(trouble, .red)
    }

    /// What the last load left out: `2 entries`, and the first hundred, each with the place and the reason.
    var leftOut: String { count("left-out").counted("entry", "entries") }
    var complaints: [String] { properties["complaints", default: []] }

    /// `10,000,000 blocked, 3 identified`.
    var contents: String { "\(count("blocked").grouped) blocked, \(count("identified").grouped) identified" }

    /// The progress of a load. An incremental load brings fewer entries than the total.
    var progress: Progress {
        Progress(
            title: "loading \(id)", done: count("loading-blocked") + count("loading-identified"),
            total: count("blocked") + count("identified"))
    }

    var json: JSON {
        .object([JSON.Member("id", .string(id))] + properties.members.filter { $0.key != "id" })
    }

    static func table(of extensions: [ExtensionReport], at now: WallTime, on terminal: Terminal) -> String {
        guard !extensions.isEmpty else { return "no extensions" }
        var table = Table(columns: [
            .main("ID"), "STATE", .right("BLOCKED").leaves(3), .right("IDENTIFIED").leaves(2),
            .fixed("LOADED").leaves(1),
            .flexible("ERROR"),
        ])
        table.rows = extensions.map { one in
            let loadedAt = one.time("loaded-at")
            return [
                Cell(one.id, .bold), Cell(one.state, one.stateStyle),
                Cell(loadedAt == nil ? "" : one.count("blocked").grouped),
                Cell(loadedAt == nil ? "" : one.count("identified").grouped),
                Cell(loadedAt?.calendarText(at: now) ?? ""), one.troubleCell,
            ]
        }
        return table.text(on: terminal)
    }

    /// Returns names and values, one per line, without empty ones.
    func report(at now: WallTime, on terminal: Terminal) -> String {
        let loadedAt = time("loaded-at")
        let facts: [(String, Cell)] = [
            ("id", Cell(id, .bold)),
            ("state", Cell(state, stateStyle)),
            ("blocked", Cell(count("blocked").grouped)),
            ("identified", Cell(count("identified").grouped)),
            ("ranges", Cell(count("ranges") == 0 ? "" : count("ranges").grouped)),
            ("labels", Cell(count("labels").grouped)),
            ("size", Cell(count("size").counted("byte", "bytes"))),
            ("loaded", Cell(loadedAt?.calendarText(at: now) ?? "")),
            ("took", Cell(loadedAt == nil ? "" : Span.precise(milliseconds: count("duration-ms")))),
            ("mode", Cell(loadedAt == nil ? "" : flag("incremental") ? "incremental" : "full")),
            ("so far", Cell(isLoading ? progress.done.counted("entry", "entries") : "")),
            ("error", Cell(trouble, .red)),
            ("damage", Cell(text("damage"), .red)),
            ("left out", Cell(count("left-out") == 0 ? "" : leftOut, .yellow)),
        ]
        return ([Table.facts(facts, on: terminal)] + complaints.map(\.printable)).joined(separator: "\n")
    }
}

extension Span {
    /// Returns `1.234 s` below ten seconds, otherwise the same as `text`.
    static func precise(milliseconds: UInt64) -> String {
        guard milliseconds < 10_000 else { return Span(milliseconds: milliseconds).text }
        return "\(milliseconds / 1_000).\("00\(milliseconds % 1_000)".suffix(3)) s"
    }
}
