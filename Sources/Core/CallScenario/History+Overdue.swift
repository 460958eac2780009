// What must have ended, and by when.

package import CallCore
import CallModel

extension History {
    /// Returns what is overdue once all due timers have fired: answers that are awaited beyond their deadlines, and
    /// emergency calls that have waited for longer than the deadline `urgent`.
    package func overdue(_ shell: ScenarioShell) -> [String] {
        let limit = UInt64(shell.machine.deadlines[.urgent]) * 1_000
        let late = emergencies.compactMap { id, since in
            since + limit < shell.now.uptime
                ? "emergency call \(id) is not begun for \(shell.now.uptime - since) µs" : nil
        }
        let waiting = waits.filter { $0.value <= shell.now.uptime }.map { "\($0.key) is over and still awaited" }
        return late + waiting.sorted()
            + pending.values.compactMap { action in
                guard let deadline = shell.machine.awaited(action.id)?.performed.deadline,
                    deadline.uptime <= shell.now.uptime
                else { return nil }
                return "a\(action.id.number) is awaited \(shell.now.uptime - deadline.uptime) µs beyond its deadline"
            }
    }

    /// Returns who still waits once every provider has answered.
    package func unrest(_ machine: CallMachine) -> [String] {
        var found: [String] = []
        if let reply = open.min(by: { $0.number < $1.number }) {
            found.append("at rest: #\(reply.number) was never answered")
        }
        if !machine.isIdle { found.append("at rest: something is still under way") }
        found += announced.unkept.map { "at rest: \($0)" }
        return found
    }

    /// Returns the calls that are left once each was asked to end.
    package func remains(_ machine: CallMachine) -> [String] {
        machine.calls.values.filter { $0.state != .ended }.sorted { $0.id.low < $1.id.low }.map {
            "call \($0.id) cannot be ended: it is \($0.state.rawValue)"
        }
    }

    /// Returns how much of the time granted to pending actions is left, in µs.
    func remaining(at now: Instant) -> UInt64 {
        pending.values.reduce(0) { $0 + ($1.deadline.uptime - min(now.uptime, $1.deadline.uptime)) }
            + waits.values.reduce(0) { $0 + ($1 - min(now.uptime, $1)) }
    }
}
