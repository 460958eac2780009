// CXTransaction: actions that belong together, in order.

internal import Synchronization

/// A list of actions to be performed in order.
public final class CXTransaction: Sendable {
    public let uuid: UUID
    private let list: Mutex<[CXAction]>

    public init(actions: [CXAction] = []) {
        uuid = .fresh()
        list = Mutex(actions)
    }

    public convenience init(action: CXAction) { self.init(actions: [action]) }

    init(uuid: UUID, actions: [CXAction]) {
        self.uuid = uuid
        list = Mutex(actions)
    }

    public var actions: [CXAction] { list.withLock { $0 } }

    /// Whether every action is complete.
    public var isComplete: Bool { actions.allSatisfy(\.isComplete) }

    public func addAction(_ action: CXAction) { list.withLock { $0.append(action) } }
}
