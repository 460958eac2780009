// A call that wants the line, and the ways in which others give it up.

import CallModel

/// The call that wants the line, and for what.
struct Newcomer: Sendable {
    enum Purpose: Sendable { case start, answer, resume, group }
    let purpose: Purpose
    /// The calls that are to share the line: the newcomer itself and the members of its group.
    let members: Party
    /// Nil if rule 4 does not apply.
    let provider: ProviderID?
    let maximumCallGroups: UInt32
    let isEmergency: Bool
    let conflict: ConflictPolicy
    /// The rule for a hold in this newcomer's favour, if not the one of its purpose.
    var holdRule: Rule?

    func holdRule(othersAreHeld: Bool) -> Rule {
        if let holdRule { return holdRule }
        switch purpose {
        case .start: return .startHolds
        case .answer: return othersAreHeld ? .answerHoldsAnother : .answerHolds
        case .resume: return .swap
        case .group: return .group
        }
    }

    var endRule: Rule {
        switch purpose {
        case .start: .startEnds
        case .answer: .answerEnds
        case .resume: .swap
        case .group: .group
        }
    }
}

/// How one call in the way gives up the line.
enum Clearance: Sendable, Hashable {
    /// An action on it is under way; its outcome decides.
    case wait(CallID)
    case hold(CallID, Rule)
    case end(CallID, Rule, by: Decider)

    /// Who decided that a call ends: the request itself, a row of the policy, or the table.
    enum Decider: Sendable, Hashable { case request, policy, table }

    /// Whether the call in the way outlives it.
    var keepsTheCall: Bool {
        switch self {
        case .wait, .hold: true
        case .end: false
        }
    }
}

extension Clearance.Decider {
    /// Who ends the call.
    func agent(for origin: TransactionOrigin) -> Cause.Agent {
        switch self {
        case .table: .arbiter(for: origin.requester)
        case .policy: .policy(for: origin.requester)
        case .request: origin.agent
        }
    }
}

/// Why a newcomer does not get the line.
enum Refusal: Error, Hashable {
    case emergency, dialing
    case callGroups(of: ProviderID)
    case conflictFails, unholdable, heldCalls
}
