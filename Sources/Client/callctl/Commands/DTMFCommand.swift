// callctl dtmf: touch tones.

import ArgumentParser
import CallClient
import CallModel
import EventLoop

struct DTMFCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "dtmf", abstract: "Send touch tones.",
        usage: "callctl dtmf [<call>] <digits> [--json] [--address <bus>]",
        discussion: "Digits are 0-9, A-D, *, #, comma for a short pause and semicolon to wait.")

    @Argument(help: ArgumentHelp("The call, optional if only one supports tones, and the digits.", valueName: "digits"))
    var words: [String]

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard words.count <= 2 else { throw ValidationError("expected a call and digits, got \(words.count) words") }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        guard let digits = words.last else { throw Failure(.usage, "no digits") }
        let call = words.count > 1 ? words.first : nil
        let candidates = Candidates.that("supports tones", "support tones") { $0.can.contains(.dtmf) }
        try await session.act(on: call, or: candidates, "PlayDTMF", digits, saying: "sent \(digits) to")
    }
}
