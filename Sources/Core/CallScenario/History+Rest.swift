// What must be over when the faults have stopped, and by when.

package import CallCore
import CallModel

extension History {
    /// Once all timers that were due have fired: no answer is awaited beyond its deadline, and no emergency waits for more
    /// than one answer that is no longer awaited than `urgent` says.
    package func overdue(_ world: World) -> [String] {
        let limit = UInt64(world.machine.deadlines[.urgent]) * 1_000
        let late = emergencies.compactMap { id, since in
            since + limit < world.now.uptime
                ? "emergency call \(id) is not begun for \(world.now.uptime - since) µs" : nil
        }
        let waiting = waits.filter { $0.value <= world.now.uptime }.map { "\($0.key) is over and its call still waits" }
        return late + waiting.sorted()
            + pending.values.compactMap { action in
                guard let deadline = world.machine.awaited(action.id)?.performed.deadline,
                    deadline.uptime <= world.now.uptime
                else { return nil }
                return "a\(action.id.number) is awaited \(world.now.uptime - deadline.uptime) µs beyond its deadline"
            }
    }

    /// Once everybody did as they were told: nobody waits any more.
    package func unrest(_ machine: CallMachine) -> [String] {
        var found: [String] = []
        if let reply = open.min(by: { $0.number < $1.number }) {
            found.append("at rest: #\(reply.number) was never answered")
        }
        if !machine.isIdle { found.append("at rest: something is still under way") }
        found += announced.unkept.map { "at rest: \($0)" }
        return found
    }

    /// Once every call was asked to end: none is left.
    package func remains(_ machine: CallMachine) -> [String] {
        machine.calls.values.filter { $0.state != .ended }.sorted { $0.id.low < $1.id.low }.map {
            "call \($0.id) cannot be ended: it is \($0.state.rawValue)"
        }
    }

    /// How much of the time that was granted to pending actions is left at this moment, in µs.
    func remaining(at now: Instant) -> UInt64 {
        pending.values.reduce(0) { $0 + ($1.deadline.uptime - min(now.uptime, $1.deadline.uptime)) }
            + waits.values.reduce(0) { $0 + ($1 - min(now.uptime, $1)) }
    }
}
