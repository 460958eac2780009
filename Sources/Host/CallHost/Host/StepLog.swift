// StepLog: facts and what follows from them, in the log.

import CallCore
import CallScenario
import EventLoop
import Logging

/// Writes facts at the level debug and their effects at the level trace. Unless identities are logged, the lines have
/// the pseudonyms that a recording of the same run has.
@LoopActor
final class StepLog {
    private let log: Logger
    private var pseudonyms: Pseudonyms?

    init(_ log: Logger, keepsIdentities: Bool) {
        self.log = log
        pseudonyms = keepsIdentities ? nil : Pseudonyms()
    }

    func note(_ input: Input) {
        guard log.logLevel <= .debug else { return }
        log.debug("\(pseudonyms?.replaced(input) ?? input)")
    }

    func note(_ effects: Effects, at moment: Instant) {
        guard log.logLevel <= .debug else { return }
        // At both levels, so that both have the same pseudonyms.
        let replaced = effects.replacing { pseudonyms?.replaced($0) ?? $0 }
        guard log.logLevel <= .trace else { return }
        for line in replaced.lines(at: moment) { log.trace("\(line)") }
    }
}
