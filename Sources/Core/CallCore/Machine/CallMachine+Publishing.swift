// What observers see: derived properties, and the difference that one input made.
//
// Only calls that were touched are looked at. What is touched beside those that an input changed: the ringing calls of a
// provider when the ways to answer them change, its talking calls when their partners for a group do, and who rings aloud.

import CallModel

/// All that the ways to answer a ringing call depend on in the calls that have the line or are held.
struct LineOptions: Sendable, Hashable {
    /// Of a plain answer, and of one that ends what is in the way; both if the provider has room (rule 4).
    var plain: AnswerOptions = .answer
    var ending: AnswerOptions = []
    /// Of an emergency call, which needs no room.
    var urgent: AnswerOptions = .answer
}

extension CallMachine {
    /// Works out the derived properties and announces what changed since the last input.
    mutating func publish() {
        reviewAnswers()
        calls.reviewRinger()
        calls.announceDirty(urgent: lineOptions.urgent, into: &effects)
        let active = calls.line.first { $0.hasConnected && $0.state != .resuming && $0.state != .ending }?.id
        if active != activeCall {
            activeCall = active
            effects.append(.activeCallChanged(active))
        }
    }

    private mutating func reviewAnswers() {
        if calls.sceneIsNew, calls.ringingCount > 0 {
            calls.sceneIsNew = false
            let options = currentLineOptions()
            if options != lineOptions {
                if options.urgent != lineOptions.urgent { for slot in calls.ringingEmergencies { calls.touch(slot) } }
                lineOptions = options
                calls.touchAllTallies()
            }
        }
        calls.reviewTallies(lineOptions)
    }

    /// Asks the arbiter, for whichever provider's sake.
    func currentLineOptions() -> LineOptions {
        var options = LineOptions(plain: answerOptions(.hold), ending: answerOptions(.end), urgent: lineOptions.urgent)
        if !calls.ringingEmergencies.isEmpty {
            options.urgent = answerOptions(.hold, isEmergency: true).union(answerOptions(.end, isEmergency: true))
        }
        return options
    }

    private func answerOptions(_ conflict: ConflictPolicy, isEmergency: Bool = false) -> AnswerOptions {
        let newcomer = Newcomer(
            purpose: .answer, members: Party(), provider: nil, maximumCallGroups: 0, isEmergency: isEmergency,
            conflict: conflict, holdRule: nil)
        guard let verdict = try? Arbiter.verdict(on: calls.line, for: newcomer, among: calls, under: policy) else {
            return []
        }
        // What ends by itself is not in the way.
        let isFree = !calls.line.contains { $0.state != .ending } && !verdict.endsHeld
        if conflict == .end { return isFree ? [] : .endAndAnswer }
        if isFree { return .answer }
        let keeps = calls.line.contains {
            $0.state != .ending && Arbiter.clearance(of: $0, for: newcomer, verdict).keepsTheCall
        }
        return keeps ? .holdAndAnswer : []
    }
}
