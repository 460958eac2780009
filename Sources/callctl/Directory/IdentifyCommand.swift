// callctl identify: who is this?

import ArgumentParser
import CallModel
import DBus
import EventLoop

struct IdentifyCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify", abstract: "Tell whose number it is, and whether it is blocked, and by whom.",
        discussion: "For example: callctl identify +46701740605")

    @Argument(help: "A number or another handle.")
    var number: String

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let (label, labelSource): (String, String) = try await session.call(
            at: Session.directory, Contract.directory, "Identify", number, waiting: Session.quickMilliseconds)
        let (isBlocked, source): (Bool, String) = try await session.call(
            at: Session.directory, Contract.directory, "IsBlocked", number, waiting: Session.quickMilliseconds)
        let known = Identification(
            number: number, label: label, labelSource: labelSource, isBlocked: isBlocked, source: source)
        try session.output.result(known.text(on: session.output.terminal), json: known.json)
    }
}

/// What the directory says about a number.
struct Identification: Sendable, Equatable {
    let number: String
    let label: String
    let labelSource: String
    let isBlocked: Bool
    /// Who blocks it.
    let source: String

    func text(on terminal: Terminal) -> String {
        let name = label.isEmpty ? "unknown" : label
        var rows: [[Cell]] = [
            [Cell("number", .dim), Cell(number)],
            [Cell("name", .dim), Cell(name, label.isEmpty ? .dim : .bold)],
            [Cell("name from", .dim), Cell(labelSource)],
        ]
        let verdict = isBlocked ? (source.isEmpty ? "yes" : "by \(source)") : "no"
        rows.append([Cell("blocked", .dim), Cell(verdict, isBlocked ? .red : .green)])
        return Table(
            columns: [Table.Column(title: ""), Table.Column(title: "", isFlexible: true)],
            rows: rows.filter { !$0[1].text.isEmpty }, showsTitles: false
        ).text(on: terminal)
    }

    var json: JSON {
        .object([
            JSON.Member("handle", .string(number)), JSON.Member("label", .string(label)),
            JSON.Member("label-source", .string(labelSource)), JSON.Member("blocked", .bool(isBlocked)),
            JSON.Member("blocked-by", .string(source)),
        ])
    }
}
