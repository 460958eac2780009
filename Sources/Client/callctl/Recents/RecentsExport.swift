// callctl recents export: writes rows for other programs.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop
import Files
import Glibc

struct RecentsExportCommand: BusCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable { case csv, json }

    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write recent calls as CSV or JSON.",
        usage: "callctl recents export [<options>]",
        discussion: """
            CSV is as in RFC 4180, in UTF-8, with a line of titles; times are ISO 8601. A value that a spreadsheet \
            would take for a formula gets an apostrophe before it, unless it is a plain number such as +46701740605. \
            JSON has the values unchanged.

            For example: callctl recents export --since 2026-01-01 --output calls.csv
            """)

    @OptionGroup var filter: RecentFilterOptions

    @Option(help: "csv or json; default: by the file's name, otherwise csv.")
    var format: Format?

    @Option(
        help: ArgumentHelp("A new file, readable only by you; default: stdout.", valueName: "file"),
        completion: .file(extensions: Format.allCases.map(\.rawValue)))
    var output: String?

    @OptionGroup var shared: SharedOptions

    /// The format option wins over the file's name.
    var chosenFormat: Format {
        if let format { return format }
        return shared.json || output?.lowercased().hasSuffix(".json") == true ? .json : .csv
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        let filter = try await filter.filter(in: session, at: .now)
        var export = RecentsExport(chosenFormat)
        let sink = try Sink(output)
        try sink.write(export.head)
        try await session.eachRecent(filter) { page throws(Failure) in
            try sink.write(export.text(of: page))
        }
        try sink.write(export.foot)
        if let output {
            try session.output.result(
                "wrote \(export.count.counted("call", "calls")) to \(output)".printable,
                json: .object([JSON.Member("file", .string(output)), JSON.Member("calls", .unsigned(export.count))]))
        }
    }
}

/// Turns rows into text, page by page.
struct RecentsExport {
    let format: RecentsExportCommand.Format
    private(set) var count: UInt64 = 0

    /// The titles of the CSV columns: the names on the bus; a handle has two columns.
    static let columns = [
        "id", "started", "connected", "ended", "duration-ms", "direction", "missed", "handle-type", "handle", "name",
        "name-source", "provider-id", "video", "reason", "ended-by", "filtered", "filtered-by", "screening",
        "screening-reason", "open", "read", "call", "end-detail", "end-code",
    ]

    init(_ format: RecentsExportCommand.Format) { self.format = format }

    var head: String { format == .csv ? CSV.line(Self.columns) : "[" }
    var foot: String { format == .csv ? "" : count == 0 ? "]\n" : "\n]\n" }

    mutating func text(of calls: [RecentCall]) -> String {
        var text = ""
        for call in calls {
            switch format {
            case .csv: text += CSV.line(Self.fields(of: call))
            case .json: text += (count == 0 ? "\n" : ",\n") + call.json.text
            }
            count += 1
        }
        return text
    }

    private static func fields(of call: RecentCall) -> [String] {
        columns.map { column in
            switch column {
            case "started", "connected", "ended": call.time(column)?.isoText ?? ""
            case "id", "duration-ms": String(call.count(column))
            case "missed", "video", "open", "read": String(call.flag(column))
            case "handle-type": call.handle("handle").type
            case "handle": call.handle("handle").value
            default: call.text(column)
            }
        }
    }
}

/// The destination of an export.
private struct Sink {
    private let file: FileAppender?

    init(_ path: String?) throws(Failure) {
        do throws(SystemError) {
            file = try path.map { path throws(SystemError) in try FileAppender(path) }
        } catch {
            throw Failure(.unknown, "\(error)")
        }
    }

    func write(_ text: String) throws(Failure) {
        guard let file else { return try Output.write(text, to: STDOUT_FILENO) }
        do {
            try file.append(text)
        } catch {
            throw Failure(.outputClosed, "\(error)")
        }
    }
}
