// A recording: the text of a scenario file, block by block.

package import CallCore
import CallModel

/// Formats inputs and their effects. `header` followed by all blocks is a file that `Scenario(text:)` reads and that
/// leads to the same transcripts.
package struct Recording {
    package let header: String
    private var pseudonyms: Pseudonyms?
    private var first: Instant?
    private var latest: Uptime = 0

    /// - Parameter keepsIdentities: whether callers, callees and dialed digits are recorded.
    package init(_ scenario: Scenario, keepsIdentities: Bool) {
        header = scenario.header + "\n"
        pseudonyms = keepsIdentities ? nil : Pseudonyms()
    }

    /// Returns the block of one input, followed by a blank line.
    ///
    /// - Parameter moment: when the input arrived.
    package mutating func block(_ input: Input, _ effects: Effects, at moment: Instant) -> String {
        let first = first ?? moment
        let elapsed = moment.uptime - min(moment.uptime, self.first == nil ? moment.uptime : latest)
        self.first = first
        latest = moment.uptime
        var input = input.dated { Self.date($0, at: moment, since: first) }
        var effects = effects
        if pseudonyms != nil {
            input = pseudonyms?.replaced(input) ?? input
            effects = effects.replacing { pseudonyms?.replaced($0) ?? $0 }
        }
        var lines = elapsed == 0 ? [] : ["elapse \(elapsed)"]
        lines += [input.description, "----"]
        lines += effects.lines(at: moment)
        return lines.joined(separator: "\n") + "\n\n"
    }

    /// Returns a date on the clock of scenarios, which starts at the first input. 0 stays 0, which means now.
    private static func date(_ date: WallTime, at moment: Instant, since first: Instant) -> WallTime {
        guard date != 0 else { return 0 }
        let now = Int64(
            clamping: ScenarioRunner.start.microseconds + (moment.uptime - min(first.uptime, moment.uptime)))
        let difference = Int64(clamping: date.microseconds).subtractingReportingOverflow(
            Int64(clamping: moment.date.microseconds))
        guard !difference.overflow else { return 1 }
        return WallTime(
            microseconds: UInt64(clamping: max(1, now.addingReportingOverflow(difference.partialValue).partialValue)))
    }
}

extension Input {
    /// Returns the input with its dates replaced.
    fileprivate func dated(_ date: (WallTime) -> WallTime) -> Input {
        switch self {
        case .actionFulfilled(let action, let at, let engine):
            .actionFulfilled(action, date: date(at), engine: engine)
        case .reported(.ended(let call, let at, let reason, let network), let provider, let reply):
            .reported(.ended(call, at: date(at), reason, network), by: provider, reply: reply)
        case .reported(.ongoing(let call, var ongoing, let update), let provider, let reply):
            {
                ongoing.since = date(ongoing.since)
                return .reported(.ongoing(call, ongoing, update), by: provider, reply: reply)
            }()
        case .reported(.startedConnecting(let call, let at), let provider, let reply):
            .reported(.startedConnecting(call, at: date(at)), by: provider, reply: reply)
        case .reported(.connected(let call, let at), let provider, let reply):
            .reported(.connected(call, at: date(at)), by: provider, reply: reply)
        case .reported, .providerRegistered, .providerReconfigured, .providerLost, .providerRestarted, .providerRemoved,
            .requested,
            .actionFailed, .audioReleased, .timerFired, .providersKnown, .defaultProvidersSet,
            .emergencyProvidersSet, .ringingSilenced, .doNotDisturbSet,
            .doNotDisturbRulesSet,
            .lookUpExpected, .lookUpAvailable, .lookedUp, .screenerRegistered, .screenerLost, .screened,
            .audioAgentRegistered, .audioAgentLost, .audioPrepared, .shutdownRequested:
            self
        }
    }
}
