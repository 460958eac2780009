// callctl show: all properties of one call.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct ShowCommand: BusCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show all properties of a call.")

    @Argument(
        help: "The call; optional if there is only one. Those that have ended count if there is no other.",
        completion: .calls)
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let snapshot = try await session.snapshot()
        let call = try await session.find(call, or: .any, in: snapshot)
        try session.output.result(call.description(at: .now, on: session.output.terminal), json: call.json)
    }
}

extension PublishedCall {
    /// Returns the names and values of the call's properties, one per line, without empty ones.
    fileprivate func description(at now: MonotonicTime, on terminal: Terminal) -> String {
        let flags = [
            (emergency, "an emergency call"), (details.muted, "muted"), (details.video, "video"),
            (details.remoteHeld, "held by the far side"),
        ]
        func date(_ moment: WallTime) -> Cell { Cell(moment == 0 ? "" : moment.dateText) }
        let facts: [(String, Cell)] = [
            ("id", Cell(id.description, .bold)),
            ("state", Cell(stateText(), stateStyle)),
            ("direction", Cell(direction.rawValue)),
            ("handle", Cell(details.handle.text)),
            ("name", Cell(callerName)),
            ("name from", Cell(callerNameSource == .none ? "" : callerNameSource.rawValue)),
            ("network name", Cell(networkName)),
            ("verification", Cell(details.verification?.rawValue ?? "")),
            ("diverted by", Cell(details.divertedBy.text)),
            ("contact", Cell(details.contactIdentifier)),
            ("provider", Cell(provider?.rawValue ?? "")),
            ("group", Cell(group)),
            ("is", Cell(flags.filter(\.0).map(\.1).joined(separator: ", "))),
            ("translated", Cell(translationText ?? "")),
            ("digits wait", Cell(details.waitingDigits)),
            ("asks for", Cell(details.transferRequest.text)),
            ("progress", Cell(progress?.rawValue ?? "")),
            ("encryption", Cell(details.encryption)),
            ("codec", Cell(details.codec)),
            ("quality", Cell(qualityText)),
            ("rings", Cell(ringMode?.rawValue ?? "")),
            ("started", date(details.startedAt)),
            ("connected", date(connectedAt)),
            ("ended", date(details.endedAt)),
            ("duration", Cell(durationText(at: now) ?? "")),
            ("ended by", Cell(details.endReason?.saysByWhom == true ? "" : details.endedBy?.rawValue ?? "")),
            ("end detail", Cell(details.endDetail?.rawValue ?? "")),
            ("end code", Cell(details.endCode)),
            ("can", Cell(can.words.joined(separator: ", "))),
            ("answers", Cell(answerOptions.words.joined(separator: ", "))),
            ("object", Cell(path.text, .dim)),
        ]
        return Table.facts(facts, on: terminal)
    }
}
