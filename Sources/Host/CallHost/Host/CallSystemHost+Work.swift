// The one queue of the shell: facts go in one by one, and what follows from them is carried out in order.

package import CallCore
import EventLoop
import Logging

/// One fact, when it arrived, and what follows from it.
package struct Step {
    package let input: Input
    package let moment: Instant
    package let effects: Effects
}

extension CallSystemHost {
    /// Takes in one fact. A fact that arises while another is being worked on waits its turn.
    package func submit(_ input: Input) {
        facts.append(input)
        work()
    }

    /// Submits a request and hands its one reply to `then`.
    func submit(_ request: Request, then: @escaping @LoopActor (Reply) -> Void) {
        submit(.requested(request, reply: replies.add(then)))
    }

    /// Carries out what each fact asks for, and its replies, at once; tells the rest when no fact is waiting. All of it is
    /// told before the loop reads the next message, so a question asked after a reply is answered after the signals.
    private func work() {
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        while true {
            if !facts.isEmpty {
                let step = decide(facts.removeFirst())
                for effect in step.effects.ask { carryOut(effect) }
                for effect in step.effects.reply { carryOut(effect) }
                untold.append(step)
            } else if !untold.isEmpty {
                tell(untold.removeFirst())
            } else {
                return
            }
        }
    }

    private func decide(_ input: Input) -> Step {
        stepLog.note(input)
        let now = clock.now
        let step = Step(input: input, moment: now, effects: machine.apply(input, at: now))
        assertSound()
        logStates(step.effects)
        stepLog.note(step.effects, at: now)
        return step
    }

    private func tell(_ step: Step) {
        record(step)
        for effect in step.effects.tell {
            if case .callChanged(let call, let changes) = effect, step.input.isUpdate, changes.areDetails {
                announce(call, inTime: true)
            } else {
                carryOut(effect)
            }
            tellFollower(effect, at: step.moment)
        }
        onStep?(step)
    }

    private func assertSound() {
        #if DEBUG
            for violation in machine.violations() { log.critical("invariant broken: \(violation)") }
        #endif
    }
}

extension Input {
    /// Whether a provider tells more of a call, as often as it likes.
    fileprivate var isUpdate: Bool {
        if case .reported(.updated, _, _) = self { true } else { false }
    }
}

extension CallChanges {
    /// Whether the call is in the same state as before, for its user and for other calls.
    fileprivate var areDetails: Bool {
        isDisjoint(with: [.state, .heldBy, .muted, .group, .startedAt, .connectedAt, .ended, .ringMode, .emergency])
    }
}
