// How finely a scenario is timed: what lies close together in time may happen the other way round.

import CallCore
import CallScenario

extension StagedScenario {
    private struct Timer {
        let armed: UInt64
        let due: UInt64
        let step: Int
    }

    /// Whether the order of two events hangs on less than `milliseconds`: an event shortly before a timer or after one that
    /// is late, or two timers that began to run at different times.
    func isTimedFinely(within milliseconds: UInt64) -> Bool {
        let margin = milliseconds * 1_000
        var timers: [TimerID: Timer] = [:]
        for (index, step) in steps.enumerated() {
            let time = step.step.time
            switch step.step.input {
            case .timerFired(let id) where step.step.isDue:
                guard timers.removeValue(forKey: id)?.due == time else { return true }
            case let input:
                if timers.values.contains(where: { $0.due < time + margin }) { return true }
                if case .actionFulfilled(let action, _, _) = input { timers[.action(action)] = nil }
                if case .actionFailed(let action, _, _) = input { timers[.action(action)] = nil }
            }
            for (id, due) in Self.changes(of: step.step.effects) {
                timers[id] = nil
                guard let due else { continue }
                let new = Timer(armed: time, due: due, step: index)
                if timers.values.contains(where: { Self.areClose($0, new, margin) }) { return true }
                timers[id] = new
            }
        }
        return false
    }

    private static func areClose(_ one: Timer, _ other: Timer, _ margin: UInt64) -> Bool {
        let gap = max(one.due, other.due) - min(one.due, other.due)
        return one.step != other.step && (gap == 0 ? one.armed != other.armed : gap < margin)
    }

    /// The timers that are armed, with when they are due, and disarmed.
    private static func changes(of effects: Effects) -> [(TimerID, UInt64?)] {
        let start = ScenarioShell().now.uptime
        return effects.compactMap { effect in
            switch effect {
            case .perform(let action): (.action(action.id), action.deadline.uptime - start)
            case .arm(let id, let moment): (id, moment.uptime - start)
            case .disarm(let id): (id, nil)
            default: nil
            }
        }
    }
}
