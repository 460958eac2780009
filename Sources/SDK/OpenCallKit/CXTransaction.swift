// CXTransaction: actions that belong together, in order.

internal import Synchronization

/// A list of actions to be performed in order (CallKit: CXTransaction).
public final class CXTransaction: Sendable {
    /// Names the transaction: what is requested gets one here, what is to be performed brings its own.
    public let uuid: UUID
    private let list: Mutex<[CXAction]>

    /// A transaction of several actions.
    /// - Parameter actions: at least one by the time it is requested; an empty one is refused as `emptyTransaction`.
    public init(actions: [CXAction] = []) {
        uuid = .fresh()
        list = Mutex(actions)
    }

    /// A transaction of one action.
    public convenience init(action: CXAction) { self.init(actions: [action]) }

    init(uuid: UUID, actions: [CXAction]) {
        self.uuid = uuid
        list = Mutex(actions)
    }

    /// In the order in which they are performed.
    public var actions: [CXAction] { list.withLock { $0 } }

    /// Whether every action is complete.
    public var isComplete: Bool { actions.allSatisfy(\.isComplete) }

    /// Adds an action behind the others, on any thread. What was requested already does not change by it.
    public func addAction(_ action: CXAction) { list.withLock { $0.append(action) } }
}
