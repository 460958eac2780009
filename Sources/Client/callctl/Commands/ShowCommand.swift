// callctl show: all properties of one call.

import ArgumentParser
import CallClient
import DBus
import EventLoop

struct ShowCommand: BusCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show all properties of a call.")

    @Argument(help: "The call; optional if only one has not ended.")
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let snapshot = try await session.snapshot()
        let call = try await session.find(call, or: .any, in: snapshot)
        try session.output.result(call.description(at: .now, on: session.output.terminal), json: call.json)
    }
}

extension Record {
    /// Returns the names and values of the call's properties, one per line, without empty ones.
    fileprivate func description(at now: WallTime, on terminal: Terminal) -> String {
        let flags = [
            ("Emergency", "an emergency call"), ("Muted", "muted"), ("Video", "video"),
            ("RemoteHeld", "held by the far side"),
        ]
        let source = text("CallerNameSource")
        let facts: [(String, Cell)] = [
            ("id", Cell(id, .bold)),
            ("state", Cell(stateText, stateStyle)),
            ("direction", Cell(text("Direction"))),
            ("handle", Cell(handleText)),
            ("name", Cell(text("CallerName"))),
            ("name from", Cell(source == "none" ? "" : source)),
            ("network name", Cell(text("NetworkName"))),
            ("verification", Cell(text("Verification"))),
            ("diverted by", Cell(divertedByText)),
            ("contact", Cell(text("ContactIdentifier"))),
            ("provider", Cell(Self.id(of: path("Provider")))),
            ("group", Cell(text("Group"))),
            ("is", Cell(flags.filter { flag($0.0) }.map(\.1).joined(separator: ", "))),
            ("translated", Cell(translationText ?? "")),
            ("asks for", Cell(transferRequestText)),
            ("progress", Cell(text("Progress"))),
            ("encryption", Cell(text("Encryption"))),
            ("codec", Cell(text("Codec"))),
            ("quality", Cell(qualityText)),
            ("rings", Cell(text("RingMode"))),
            ("started", Cell(time("StartedAt")?.dateText ?? "")),
            ("connected", Cell(time("ConnectedAt")?.dateText ?? "")),
            ("ended", Cell(time("EndedAt")?.dateText ?? "")),
            ("duration", Cell(durationText(at: now) ?? "")),
            ("ended by", Cell(text("EndedBy"))),
            ("end detail", Cell(text("EndDetail"))),
            ("end code", Cell(text("EndCode"))),
            ("can", Cell(words("Can").joined(separator: ", "))),
            ("answers", Cell(words("AnswerOptions").joined(separator: ", "))),
            ("object", Cell(path.text, .dim)),
        ]
        return Table.wholeFacts(facts, on: terminal)
    }
}
