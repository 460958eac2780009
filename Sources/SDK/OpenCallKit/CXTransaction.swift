// CXTransaction: a list of actions, performed in order.

internal import Synchronization

/// A list of actions that are performed in order (CallKit: CXTransaction).
public final class CXTransaction: Sendable {
    /// The transaction's identifier: a new one for a request, the system's for a transaction to perform.
    public let uuid: UUID
    private let list: Mutex<[CXAction]>

    /// Creates a transaction of several actions.
    /// - Parameter actions: the actions. Requesting a transaction without any fails with `emptyTransaction`.
    public init(actions: [CXAction] = []) {
        uuid = UUID()
        list = Mutex(actions)
    }

    /// Creates a transaction of one action.
    public convenience init(action: CXAction) { self.init(actions: [action]) }

    init(uuid: UUID, actions: [CXAction]) {
        self.uuid = uuid
        list = Mutex(actions)
    }

    /// The actions, in the order in which they are performed.
    public var actions: [CXAction] { list.withLock { $0 } }

    /// Whether every action is complete.
    public var isComplete: Bool { actions.allSatisfy(\.isComplete) }

    /// Appends an action, on any thread. A request that was already made does not change.
    public func addAction(_ action: CXAction) { list.withLock { $0.append(action) } }
}
