// callctl identify: what is known about a number.

import ArgumentParser
import CallClient
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
            at: DaemonPath.directory, Contract.directory, "Identify", number, waiting: Session.quickTimeout)
        let identification = Identification(number: number, properties: known)
        try session.output.result(identification.text(on: session.output.terminal), json: identification.json)
    }
}

/// What is known about a caller, as returned by Identify. Unknown texts are empty.
struct Identification: Readable, Sendable, Equatable {
    let number: String
    let properties: VariantDictionary

    private var isBlocked: Bool { flag("blocked") }

    /// The list that blocks it, even if it is allowed, and the rule if that differs from the number.
    private var blocker: String {
        let (list, rule) = (text("blocked-by"), text("blocked-rule"))
        guard !list.isEmpty else { return "" }
        return rule.isEmpty || rule == number ? "by \(list)" : "by \(list), \(rule)"
    }

    private var verdict: String {
        guard flag("allowed") else { return isBlocked ? blocker : "no" }
        return blocker.isEmpty ? "no" : "no, though \(blocker)"
    }

    func text(on terminal: Terminal) -> String {
        let (name, nameSource) = (text("name"), text("name-source"))
        let (label, labelSource, allowedBy) = (text("label"), text("label-source"), text("allowed-by"))
        return Table.facts(
            [
                ("number", Cell(number)),
                ("compared as", Cell(text("normalized") == number ? "" : text("normalized"))),
                ("note", Cell(properties["region"] == .string("") ? .unknownRegion : "", .dim)),
                ("name", name.isEmpty ? Cell("unknown", .dim) : Cell(name, .bold)),
                ("name from", Cell(nameSource == "directory" ? labelSource : nameSource)),
                ("label", Cell(label == name ? "" : label)),
                ("label from", Cell(label == name ? "" : labelSource)),
                ("favorite", Cell(flag("favorite") ? "yes" : "")),
                ("allowed", Cell(allowedBy.isEmpty ? "" : "by user, \(allowedBy)", .green)),
                ("blocked", Cell(verdict, isBlocked ? .red : .green)),
            ], on: terminal)
    }

    var json: JSON {
        func texts(_ keys: String...) -> [JSON.Member] { keys.map { JSON.Member($0, .string(text($0))) } }
        func flag(_ key: String) -> [JSON.Member] { [JSON.Member(key, .bool(self.flag(key)))] }
        return .object(
            [JSON.Member("handle", .string(number))]
                + texts("normalized") + (properties["region"] == nil ? [] : texts("region"))
                + texts("name", "name-source", "contact-identifier", "image", "label", "label-source")
                + flag("favorite") + flag("allowed") + texts("allowed-by") + flag("blocked")
                + texts("blocked-by", "blocked-rule"))
    }
}
