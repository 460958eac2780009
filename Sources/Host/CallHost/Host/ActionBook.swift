// Which reply on which channel completes which action.

import CallCore

/// The latest actions with the serials of their Performs, so that even a second reply finds its action. Bounded.
struct ActionBook: Sendable {
    struct Key: Hashable, Sendable {
        let channel: ObjectIdentifier
        let serial: UInt32
    }

    static let capacity = 1_024
    private var actions: [(key: Key, action: ActionID)] = []
    private var oldest = 0

    /// Looked for one by one: noting is what happens with each action, and this with hardly any.
    subscript(key: Key) -> ActionID? {
        for age in 1..<actions.count + 1 {
            let entry = actions[(oldest + actions.count - age) % actions.count]
            if entry.key == key { return entry.action }
        }
        return nil
    }

    mutating func note(_ action: ActionID, as key: Key) {
        if actions.count < Self.capacity {
            actions.append((key, action))
        } else {
            actions[oldest] = (key, action)
            oldest = (oldest + 1) % Self.capacity
        }
    }
}
