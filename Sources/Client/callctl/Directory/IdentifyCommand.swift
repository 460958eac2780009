// callctl identify: what is known about a number.

import ArgumentParser
import CallModel
import DBus
import EventLoop

struct IdentifyCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Show a caller's name, and the rule or list that blocks or allows it.",
        discussion: "For example: callctl identify +46701740605")

    @Argument(help: "A number or another handle.")
    var number: String

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let known: VariantDictionary = try await session.call(
            at: Session.directory, Contract.directory, "Describe", number, waiting: Session.quickMilliseconds)
        let identification = Identification(number: number, known)
        try session.output.result(identification.text(on: session.output.terminal), json: identification.json)
    }
}

/// What is known about a caller. Unknown texts are empty.
struct Identification: Sendable, Equatable {
    let number: String
    let name: String
    let nameSource: String
    let contact: String
    let label: String
    let labelSource: String
    let isFavorite: Bool
    let isBlocked: Bool
    /// The list that blocks it, even if it is allowed.
    let blockedBy: String
    let blockedRule: String
    let isAllowed: Bool
    let allowedBy: String

    init(number: String, _ known: VariantDictionary) {
        let answer = Answer(properties: known)
        self.number = number
        name = answer.text("name")
        nameSource = answer.text("name-source")
        contact = answer.text("contact-identifier")
        label = answer.text("label")
        labelSource = answer.text("label-source")
        isFavorite = answer.flag("favorite")
        isBlocked = answer.flag("blocked")
        blockedBy = answer.text("blocked-by")
        blockedRule = answer.text("blocked-rule")
        isAllowed = answer.flag("allowed")
        allowedBy = answer.text("allowed-by")
    }

    private struct Answer: Readable {
        let properties: VariantDictionary
    }

    /// The list that blocks it, and the rule if it differs from the number.
    private var blocker: String {
        guard !blockedBy.isEmpty else { return "" }
        return blockedRule.isEmpty || blockedRule == number ? "by \(blockedBy)" : "by \(blockedBy), \(blockedRule)"
    }

    private var verdict: String {
        guard !isAllowed else { return blockedBy.isEmpty ? "no" : "no, though \(blocker)" }
        return isBlocked ? blocker : "no"
    }

    func text(on terminal: Terminal) -> String {
        let rows: [[Cell]] = [
            [Cell("number", .dim), Cell(number)],
            [Cell("name", .dim), Cell(name.isEmpty ? "unknown" : name, name.isEmpty ? .dim : .bold)],
            [Cell("name from", .dim), Cell(nameSource == "directory" ? labelSource : nameSource)],
            [Cell("label", .dim), Cell(label == name ? "" : label)],
            [Cell("label from", .dim), Cell(label == name ? "" : labelSource)],
            [Cell("favorite", .dim), Cell(isFavorite ? "yes" : "")],
            [Cell("allowed", .dim), Cell(allowedBy.isEmpty ? "" : "by user, \(allowedBy)", .green)],
            [Cell("blocked", .dim), Cell(verdict, isBlocked ? .red : .green)],
        ]
        return Table(
            columns: [Table.Column(title: ""), Table.Column(title: "", isFlexible: true)],
            rows: rows.filter { !$0[1].text.isEmpty }, showsTitles: false
        ).text(on: terminal)
    }

    var json: JSON {
        .object([
            JSON.Member("handle", .string(number)), JSON.Member("name", .string(name)),
            JSON.Member("name-source", .string(nameSource)), JSON.Member("contact-identifier", .string(contact)),
            JSON.Member("label", .string(label)), JSON.Member("label-source", .string(labelSource)),
            JSON.Member("favorite", .bool(isFavorite)), JSON.Member("allowed", .bool(isAllowed)),
            JSON.Member("allowed-by", .string(allowedBy)), JSON.Member("blocked", .bool(isBlocked)),
            JSON.Member("blocked-by", .string(blockedBy)), JSON.Member("blocked-rule", .string(blockedRule)),
        ])
    }
}
