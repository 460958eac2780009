// callctl contacts: the folders of vCards that name callers.

import ArgumentParser
import CallClient
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
            at: DaemonPath.directory, Contract.directory, "Contacts", waiting: Session.quickTimeout)
        let state = ContactsState(properties: report)
        try session.output.result(state.text(at: .now, on: session.output.terminal), json: JSON(report))
    }
}

/// The contacts that the store has read.
struct ContactsState: Readable, Sendable, Equatable {
    let properties: VariantDictionary

    private var complaints: [Struct<String, String>] { (try? properties["complaints"]?.value()) ?? [] }

    func text(at now: WallTime, on terminal: Terminal) -> String {
        let read = time("loaded-at")?.calendarText(at: now) ?? ""
        let facts = [
            ("contacts", Cell("\(count("contacts"))")), ("handles", Cell("\(count("handles"))")),
            ("read", Cell(flag("loading") ? "now" : read)),
        ]
        let trouble = complaints.map { complaint in
            let (path, reason) = complaint.fields
            return ("trouble", Cell("\(path): \(reason)", .yellow))
        }
        return Table.facts(words("folders").map { ("folder", Cell($0)) } + facts + trouble, on: terminal)
    }
}
