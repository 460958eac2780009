// What the calls of one provider and of one group come to.

import CallModel

/// The calls of one provider, counted.
struct ProviderTally: Sendable {
    let id: ProviderID
    /// The calls of this provider that have a slot; without any the tally is given back.
    var slots = 0
    var limits = GroupLimits()
    var ringing = Chain()
    var talking = Chain()
    /// Rule 4: the lone calls that count, and the groups with a call that counts.
    var loneCounted = 0
    var groupsCounted = 0
    /// The lone calls and groups that another call can join, and the sum of their numbers: if it is one, it is that one.
    var openUnits = 0
    var openUnitsSum: UInt64 = 0
    /// The ways to answer its ringing calls, and the partners of its talking ones, as they were last announced.
    var answerOptions: AnswerOptions = []
    var publishedPartners = Partners.none
    var isDirty = false

    /// Whom a call of this provider could be grouped with: all that `can` of one depends on in the others.
    enum Partners: Sendable, Hashable {
        case none
        /// One unit only: for everyone else.
        case only(UInt64)
        case many
    }

    var partners: Partners {
        switch openUnits {
        case 0: .none
        case 1: .only(openUnitsSum)
        default: .many
        }
    }

    mutating func count(_ unit: UInt64, isOpen: Bool, by step: Int) {
        guard isOpen else { return }
        openUnits += step
        openUnitsSum = step > 0 ? openUnitsSum &+ unit : openUnitsSum &- unit
    }
}

/// What a provider declares of its call groups, and whether its calls can be translated.
struct GroupLimits: Sendable, Hashable {
    var groups: UInt32 = 0
    var perGroup: UInt32 = 0
    var translates = false

    init() {}

    init(_ configuration: ProviderConfiguration?) {
        groups = configuration?.maximumCallGroups ?? 0
        perGroup = configuration?.maximumCallsPerCallGroup ?? 0
        translates = configuration?.supportsAudioTranslation ?? false
    }
}

/// The calls of one group.
struct GroupRecord: Sendable, Hashable {
    let tally: Int
    /// Slots, in the order in which they joined.
    var members: [Int] = []
    var counted = 0
    var groupable = 0

    /// Whether another call can join it.
    func isOpen(_ maximum: UInt32) -> Bool { groupable > 0 && members.count < Int(maximum) }
}

extension GroupID {
    var unit: UInt64 { number << 1 | 1 }
}
