// What must be over when the faults have stopped, and by when.

package import CallCore

extension History {
    /// Once all timers that were due have fired: no answer is awaited beyond its deadline.
    package func overdue(_ world: World) -> [String] {
        pending.values.compactMap { action in
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
        return found
    }
}
