// One fact and what follows from it, as it is worked on.

import CallCore
import CallModel
import EventLoop

/// A fact, when it became known, the core's effects, and the calls that these tell of as they were then.
struct Step {
    let input: Input
    let moment: Instant
    let effects: [Effect]
    /// The effects in words, if anybody reads them.
    let texts: [String]
    private var calls: [Call?] = []

    init(
        _ input: Input, at moment: Instant, _ effects: [Effect], texts: [String], of machine: inout CallMachine
    ) {
        self.input = input
        self.moment = moment
        self.effects = effects
        self.texts = texts
        for index in effects.indices {
            if let call = effects[index].callToldOf { calls.append(machine.calls[call]) }
        }
    }

    /// How long the rest can wait, once what is urgent has been done.
    enum Patience: Comparable {
        /// Objects come or go with it, or something other than a call changes.
        case none
        case untilNextFact
        /// It means the same after other facts.
        case beyondNextFact
    }

    var patience: Patience {
        var patience = Patience.beyondNextFact
        for index in effects.indices { patience = min(patience, effects[index].patience) }
        return patience
    }

    /// How many effects there are up to the last question to a provider.
    var questions: Int {
        var count = effects.count
        while count > 0, !effects[count - 1].asksProvider { count -= 1 }
        return count
    }

    /// Calls `body` with each effect, its place, and the call that it tells of.
    @LoopActor
    func each(_ body: @LoopActor (Int, Effect, Call?) -> Void) {
        var next = 0
        for index in effects.indices {
            let tells = effects[index].callToldOf != nil
            body(index, effects[index], tells ? calls[next] : nil)
            if tells { next += 1 }
        }
    }
}

extension Effect {
    /// Whether a provider is to answer.
    var asksProvider: Bool {
        switch self {
        case .perform, .deactivateAudio: true
        default: false
        }
    }

    /// Whether a provider is to answer, or to know.
    var isForProvider: Bool {
        switch self {
        case .perform, .deactivateAudio, .timedOut, .transactionEnded, .reset, .activateAudio: true
        default: false
        }
    }

    fileprivate var patience: Step.Patience {
        switch self {
        case .perform, .deactivateAudio, .lookUp, .screen, .reply, .callChanged, .arm, .disarm: .beyondNextFact
        case .callAdded, .callEnded, .activeCallChanged, .audioChanged, .activateAudio, .resumeSuggested, .anomaly,
            .timedOut, .transactionEnded:
            .untilNextFact
        case .callRemoved, .callFiltered, .providerAdded, .providerChanged, .providerRemoved, .reset, .stop: .none
        }
    }

    fileprivate var callToldOf: CallID? {
        switch self {
        case .callAdded(let call), .callChanged(let call, _), .callEnded(let call, _, _): call
        default: nil
        }
    }
}
