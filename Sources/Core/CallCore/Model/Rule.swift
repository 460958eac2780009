// The rows of the decision table that lead to actions, by name.

/// A row of `docs/arbitration.md`. Its number is what plans, causes and transcripts show.
public enum Rule: UInt32, Sendable, Hashable, CaseIterable {
    /// A start holds the call in the way, or ends it.
    case startHolds = 1
    case startEnds = 2
    /// An answer holds the call in the way, or ends it; holds it while others are held already.
    case answerHolds = 6
    case answerEnds = 7
    case answerHoldsAnother = 8
    /// The call that the arbiter held last comes back after a local end.
    case comesBack = 10
    /// A resume holds the active call, or ends it.
    case swap = 12
    /// The network holds a call or wants it back.
    case network = 13
    /// Calls are grouped, or one leaves.
    case group = 14
    /// A hold or a resume acts on the whole group.
    case wholeGroup = 15
    /// A failure brings back what was moved for it.
    case compensation = 16
    /// A provider does not answer in time.
    case noAnswer = 17
    case providerDied = 18
    case emergency = 19
    /// A call is reported that is connected already.
    case adoption = 24
}

/// Who causes something, and by which rule.
public struct Decision: Sendable, Hashable {
    public let by: Cause.Agent
    /// Nil if it is the requested action itself.
    public let rule: Rule?

    init(by agent: Cause.Agent, rule: Rule? = nil) {
        by = agent
        self.rule = rule
    }
}

extension Optional<Rule> {
    /// The number of the row; 0 for none.
    public var number: UInt32 { self?.rawValue ?? 0 }
}
