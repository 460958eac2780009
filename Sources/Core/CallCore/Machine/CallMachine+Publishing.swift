// What observers see: the derived properties of all calls, and the difference that one input made.

import CallModel

extension CallMachine {
    /// Works out the derived properties and announces what changed since the last input.
    mutating func publish() {
        var current = AbilitiesNow(calls, providers, policy)
        calls.take(calls.live.map { current.abilities(of: $0) })
        for announcement in calls.takeAnnouncements() { effects.append(announcement) }
        let active = calls.line.first { $0.hasConnected && $0.state != .resuming && $0.state != .ending }?.id
        if active != activeCall {
            activeCall = active
            effects.append(.activeCallChanged(active))
        }
    }
}
