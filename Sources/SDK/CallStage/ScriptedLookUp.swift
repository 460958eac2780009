// A scripted look-up of callers, in the host's own process.

import CallHost
package import CallModel
package import EventLoop

/// Keeps the host's questions until the script answers them.
@LoopActor
package final class ScriptedLookUp: CallerLookUp {
    private struct Question {
        let caller: Caller
        let answer: @LoopActor (CallerFacts) -> Void
    }

    private var questions: [CallID: [Question]] = [:]

    package init() {}

    package func lookUp(_ handle: Handle?, for call: CallID, then: @escaping @LoopActor (CallerFacts) -> Void) {
        questions[call, default: []].append(Question(caller: Caller(handle), answer: then))
    }

    /// Answers the latest question about a call, or the latest about the caller who is named.
    package func answer(_ call: CallID, _ facts: CallerFacts) {
        questions[call]?.last { facts.isAbout($0.caller) }?.answer(facts)
    }
}
