// callctl dtmf: touch tones.

import ArgumentParser
import CallClient
import CallModel
import EventLoop

struct DTMFCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "dtmf", abstract: "Send touch tones.",
        usage: """
            callctl dtmf [<call>] <digits> [--json] [--address <bus>]
            callctl dtmf [<call>] --waiting [--json] [--address <bus>]
            """,
        discussion: """
            Digits are 0-9, A-D, *, #, comma for a short pause and semicolon to wait. With --waiting the digits are sent \
            that wait since the call was started, up to the next semicolon; callctl show has them.
            """)

    @Argument(help: ArgumentHelp("The call, optional if only one supports tones, and the digits.", valueName: "digits"))
    var words: [String] = []

    @Flag(help: "Send the digits that wait behind the number.")
    var waiting = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard (0...1).contains(words.count - (waiting ? 0 : 1)) else {
            throw ValidationError("expected a call and digits, or --waiting, got \(words.count) words")
        }
        let areDigits = words.map { (try? CallAction.checkDigits($0)) != nil }
        guard areDigits != [true, false] else {
            throw ValidationError("\"\(words[1])\" are no digits, expected: callctl dtmf CALL DIGITS")
        }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        guard !waiting else {
            let candidates = Candidates.that("has digits that wait", "have digits that wait") { $0.digitsWait }
            return try await session.act(
                on: words.first, or: candidates, "SendWaitingDigits", saying: "sent the digits that waited to")
        }
        guard let digits = words.last else { throw Failure(.usage, "no digits") }
        let call = words.count > 1 ? words.first : nil
        let candidates = Candidates.that("supports tones", "support tones") { $0.can.contains(.dtmf) }
        try await session.act(on: call, or: candidates, "PlayDTMF", digits, saying: "sent \(digits) to")
    }
}
