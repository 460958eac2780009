// callctl contacts: the folders of vCards that name callers.

import ArgumentParser
import CallModel
import DBus
import EventLoop

struct ContactsCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "contacts",
        abstract: "List the folders of vCards that name callers, with the number of contacts and any read errors.",
        discussion: """
            callkitd --contacts sets the folders. They are read again whenever a file in them changes.

            For example: callctl contacts
            """)

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let report: VariantDictionary = try await session.call(
            at: Session.directory, Contract.directory, "Contacts", waiting: Session.quickMilliseconds)
        let state = ContactsState(properties: report)
        try session.output.result(state.text(at: .now, on: session.output.terminal), json: JSON(report))
    }
}

/// The contacts that the store has read.
struct ContactsState: Readable, Sendable, Equatable {
    let properties: VariantDictionary

    private var complaints: [Struct<String, String>] { (try? properties["complaints"]?.value()) ?? [] }

    func text(at now: WallTime, on terminal: Terminal) -> String {
        var rows = words("folders").map { [Cell("folder", .dim), Cell($0)] }
        rows.append([Cell("contacts", .dim), Cell("\(count("contacts"))")])
        rows.append([Cell("handles", .dim), Cell("\(count("handles"))")])
        let read = time("loaded-at")?.calendarText(at: now) ?? ""
        rows.append([Cell("read", .dim), Cell(flag("loading") ? "now" : read)])
        for complaint in complaints {
            let (path, reason) = complaint.fields
            rows.append([Cell("trouble", .dim), Cell("\(path): \(reason)", .yellow)])
        }
        return Table(
            columns: [Table.Column(title: ""), Table.Column(title: "", isFlexible: true)],
            rows: rows.filter { !$0[1].text.isEmpty }, showsTitles: false
        ).text(on: terminal)
    }
}
