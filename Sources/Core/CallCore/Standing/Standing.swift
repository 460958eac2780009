// The facts that decisions read.
//
// Every decision is a method that does not mutate: it can change nothing. `Line` and `CallMachine` carry decisions out.

import CallModel

/// Everything that a decision may look at.
struct Standing: Sendable {
    let deadlines: Deadlines
    let limits: Limits
    let policy: Policy
    var calls: CallTable
    var providers: ProviderTable
    var work = Work()
    /// Who answers what it is asked.
    var silence = Silence()
    var rates = Rates()
    /// Whether callers can be looked up, or could be if the store were not away.
    var canLookUp = false
    var isShuttingDown = false
    /// When the latest input came.
    var now = Instant(uptime: 0, date: 0)

    init(_ deadlines: Deadlines, _ limits: Limits, _ policy: Policy) {
        self.deadlines = deadlines
        self.limits = limits
        self.policy = policy
        calls = CallTable(causesPerCall: limits.causesPerCall)
        providers = ProviderTable(capacity: limits.knownProviders)
    }
}
