// Where a call stands: all that an index of the calls depends on, as one small value that is compared.

import CallModel

/// Worked out anew whenever a call was touched; only what differs is filed anew.
struct Standing: Sendable, Hashable {
    struct Marks: OptionSet, Sendable, Hashable {
        let rawValue: UInt16
        /// It has not ended.
        static let live = Marks(rawValue: 1 << 0)
        static let hasLine = Marks(rawValue: 1 << 1)
        static let ringing = Marks(rawValue: 1 << 2)
        /// It rings, and nobody has silenced it.
        static let loud = Marks(rawValue: 1 << 3)
        /// Active or held, the states in which calls are grouped.
        static let talking = Marks(rawValue: 1 << 4)
        static let held = Marks(rawValue: 1 << 5)
        /// Held by the arbiter.
        static let displaced = Marks(rawValue: 1 << 6)
        /// Counts as a call group of its provider, or towards one (rule 4).
        static let counted = Marks(rawValue: 1 << 7)
        /// Others can be grouped with it, if there is room.
        static let groupable = Marks(rawValue: 1 << 8)
        static let emergency = Marks(rawValue: 1 << 9)
        static let holdable = Marks(rawValue: 1 << 10)
        static let refusedEmergency = Marks(rawValue: 1 << 11)
        static let connected = Marks(rawValue: 1 << 12)
        static let takesDTMF = Marks(rawValue: 1 << 13)
        static let ungroupable = Marks(rawValue: 1 << 14)
    }

    var marks: Marks = []
    var state = CallState.ended
    var group: GroupID?
    var joinedOrder: UInt64 = 0
    /// Of a displaced call, else 0.
    var heldOrder: UInt64 = 0
}

extension Call {
    /// A call that has ended stands nowhere.
    var standing: Standing {
        guard state != .ended else { return Standing() }
        var marks: Standing.Marks = .live
        if hasLine { marks.insert(.hasLine) }
        switch state {
        case .ringing:
            marks.insert(.ringing)
            if !silenced { marks.insert(.loud) }
        case .ending: break
        case .active, .held:
            marks.formUnion([.talking, .counted])
            if supportsGrouping, !emergency { marks.insert(.groupable) }
        case .starting, .started, .connecting, .answering, .holding, .resuming, .ended: marks.insert(.counted)
        }
        let isDisplaced = state == .held && heldBy == .arbiter
        if state == .held { marks.insert(.held) }
        if isDisplaced { marks.insert(.displaced) }
        if emergency { marks.insert(.emergency) }
        if isHoldable { marks.insert(.holdable) }
        if refusedEmergency { marks.insert(.refusedEmergency) }
        if hasConnected { marks.insert(.connected) }
        if supportsDTMF { marks.insert(.takesDTMF) }
        if supportsUngrouping { marks.insert(.ungroupable) }
        return Standing(
            marks: marks, state: state, group: group, joinedOrder: joinedOrder,
            heldOrder: isDisplaced ? heldOrder : 0)
    }
}

/// A call that has the line, as the arbiter sees it.
struct LineCall: Sendable, Hashable {
    let slot: Int
    let id: CallID
    let tally: Int
    let createdOrder: UInt64
    let standing: Standing

    var state: CallState { standing.state }
    var group: GroupID? { standing.group }
    var isEmergency: Bool { standing.marks.contains(.emergency) }
    var isHoldable: Bool { standing.marks.contains(.holdable) }
    var refusedEmergency: Bool { standing.marks.contains(.refusedEmergency) }
    var hasConnected: Bool { standing.marks.contains(.connected) }
    var isDialing: Bool { state.isDialing }

    /// The members of a group in the order in which they joined; others as they came.
    func precedes(_ other: LineCall) -> Bool {
        (standing.joinedOrder, createdOrder) < (other.standing.joinedOrder, other.createdOrder)
    }
}
