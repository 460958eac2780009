// Who wants the line, and in which ways others give it up.

import CallModel

/// Who wants the line, and for what.
struct Newcomer: Sendable {
    enum Purpose: Sendable { case start, answer, resume, group }
    let purpose: Purpose
    /// The calls that are to share the line: the newcomer itself and the members of its group.
    let members: Party
    /// Nil leaves rule 4 to the one who asks.
    let provider: ProviderID?
    let maximumCallGroups: UInt32
    let isEmergency: Bool
    let conflict: ConflictPolicy
    /// The table's row for a hold in this newcomer's favour, when it is not told by the purpose (rule 10, 16).
    let holdRule: UInt32?

    /// The table's row for a hold: 1 start, 6 answer (8 when others are held already), 12 swap, 14 group.
    func holdRule(othersHeld: Bool) -> UInt32 {
        if let holdRule { return holdRule }
        switch purpose {
        case .start: return 1
        case .answer: return othersHeld ? 8 : 6
        case .resume: return 12
        case .group: return 14
        }
    }

    /// The table's row for an end: 2 start, 7 answer, 12 resume, 14 group.
    var endRule: UInt32 {
        switch purpose {
        case .start: 2
        case .answer: 7
        case .resume: 12
        case .group: 14
        }
    }
}

/// How one call in the way gives up the line.
enum Clearance: Sendable, Hashable {
    /// An action on it is under way; its outcome decides.
    case wait(CallID)
    case hold(CallID, rule: UInt32)
    case end(CallID, rule: UInt32)

    /// Whether the call in the way outlives it.
    var keepsTheCall: Bool {
        switch self {
        case .wait, .hold: true
        case .end: false
        }
    }
}

/// Why a newcomer does not get the line.
enum Refusal: Error, Hashable {
    case emergency, dialing
    case callGroups(of: ProviderID)
    case conflictFails, unholdable, heldCalls
}
