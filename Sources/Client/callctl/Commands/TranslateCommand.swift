// callctl translate: translate a call.

import ArgumentParser
import CallClient
import CallModel
import EventLoop

struct TranslateCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "translate", abstract: "Translate a call, or end its translation.",
        usage: """
            callctl translate [<call>] --from <language> --to <language> [--json] [--address <bus>]
            callctl translate [<call>] --off [--json] [--address <bus>]
            """,
        discussion: "Languages are tags such as en-GB: --from is spoken here, --to by the far side.")

    @Argument(
        help: "The call; optional if only one can be translated, or with --off if only one is translated.",
        completion: .calls)
    var call: String?

    @Option(name: .customLong("from"), help: ArgumentHelp("The language spoken here.", valueName: "language"))
    var localLanguage: String?

    @Option(name: .customLong("to"), help: ArgumentHelp("The language of the far side.", valueName: "language"))
    var remoteLanguage: String?

    @Flag(name: .customLong("off"), help: "End the translation.")
    var isOff = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        let languages = [localLanguage, remoteLanguage].compactMap(\.self)
        guard languages.count == (isOff ? 0 : 2) else { throw ValidationError("expected --from and --to, or --off") }
        if isOff { return }
        do throws(CallError) {
            try CallAction.check(Languages(local: languages[0], remote: languages[1]), isTranslating: true)
        } catch {
            throw ValidationError(error.message)
        }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        let (local, remote) = (localLanguage ?? "", remoteLanguage ?? "")
        let candidates: Candidates =
            isOff
            ? .that("is translated", "are translated") { $0.translationText != nil && !$0.hasEnded }
            : .thatCan(.translate, be: "translated")
        try await session.act(
            on: call, or: candidates, "SetTranslating", !isOff, local, remote,
            saying: isOff ? "stopped translating" : "translated")
    }
}
