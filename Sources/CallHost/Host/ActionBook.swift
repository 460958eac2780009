// Which reply on which channel completes which action.

import CallCore

/// Actions by the serial of their Perform, so that even a second reply finds its action. Bounded.
struct ActionBook: Sendable {
    struct Key: Hashable, Sendable {
        let channel: ObjectIdentifier
        let serial: UInt32
    }

    static let capacity = 1_024
    private var actions: [Key: ActionID] = [:]
    private var order: [Key] = []
    private var oldest = 0

    subscript(key: Key) -> ActionID? { actions[key] }

    mutating func note(_ action: ActionID, as key: Key) {
        actions[key] = action
        if order.count < Self.capacity {
            order.append(key)
        } else {
            actions[order[oldest]] = nil
            order[oldest] = key
            oldest = (oldest + 1) % Self.capacity
        }
    }
}
