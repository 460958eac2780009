// The actions under way, by their calls.

import CallModel

extension CallTable {
    mutating func await(_ action: PendingAction) {
        if let slot = slot(of: action.call) { slots[slot].pending.append(action) }
    }

    mutating func forget(_ action: PendingAction) {
        if let slot = slot(of: action.call) { slots[slot].pending.remove(action.id) }
    }

    mutating func replace(_ action: PendingAction) {
        if let slot = slot(of: action.call) { slots[slot].pending.replace(action) }
    }

    /// The oldest action of one kind or of any that a call's provider has not answered; ends come before all.
    func pendingAction(on call: CallID, _ kind: ActionKind?) -> PendingAction? {
        guard let slot = slot(of: call) else { return nil }
        return slots.span[slot].pending.oldest(kind)
    }

    /// All of them, oldest first.
    func pendingActions(on call: CallID) -> [PendingAction] {
        slot(of: call).map { slots.span[$0].pending.all } ?? []
    }
}
