// CXCallController: requests actions on calls.

package import CallModel
internal import CallWire
internal import EventLoop
internal import Synchronization

/// Requests transactions on behalf of the user (CallKit: CXCallController). The system checks a transaction, holds or
/// ends calls that are in the way, and lets the calls' providers perform the actions.
public final class CXCallController: Sendable {
    private let queue: DispatchQueue
    private let observer = Mutex<CXCallObserver?>(nil)

    /// Creates a controller that calls completions on a private serial queue.
    public convenience init() { self.init(queue: DispatchQueue(label: "org.opencallkit.CXCallController")) }

    /// Creates a controller that calls completions on a given queue.
    /// - Parameter queue: the queue for completions.
    public init(queue: DispatchQueue) { self.queue = queue }

    /// An observer of all calls on the machine, created at the first use.
    public var callObserver: CXCallObserver {
        observer.withLock { observer in
            if let observer { return observer }
            let new = CXCallObserver()
            observer = new
            return new
        }
    }

    /// Requests a transaction.
    /// - Parameters:
    ///   - transaction: the actions to perform, in order.
    ///   - completion: called with nil when the transaction has been accepted; the calls then show its outcome. Called
    ///     with a `CXErrorCodeRequestTransactionError` if the transaction is refused; nothing is done then.
    public func request(_ transaction: CXTransaction, completion: @escaping ((any Error)?) -> Void) {
        request(transaction, timeout: nil, completion: completion)
    }

    /// Requests a transaction with a shorter time-out for its actions. Not in CallKit.
    /// - Parameters:
    ///   - transaction: the actions to perform, in order.
    ///   - timeout: the time-out of each action in seconds; it applies only if it is shorter than the system's. Nil
    ///     means the system's.
    ///   - completion: called with nil when the transaction has been accepted, otherwise with a
    ///     `CXErrorCodeRequestTransactionError`.
    public func request(
        _ transaction: CXTransaction, timeout: TimeInterval?, completion: @escaping ((any Error)?) -> Void
    ) {
        let completion = Confined(completion)
        let session = SDKSession.current
        request(transaction.actions, .accepted, timeout) { [queue] error in
            session.handOver(to: queue) { completion.value(error) }
        }
    }

    /// Requests one action.
    /// - Parameters:
    ///   - action: the action to perform.
    ///   - completion: called with nil when the action has been accepted, otherwise with a
    ///     `CXErrorCodeRequestTransactionError`.
    public func requestTransaction(with action: CXAction, completion: @escaping ((any Error)?) -> Void) {
        request(CXTransaction(action: action), completion: completion)
    }

    /// Requests several actions.
    /// - Parameters:
    ///   - actions: the actions to perform, in order.
    ///   - completion: called with nil when they have been accepted, otherwise with a
    ///     `CXErrorCodeRequestTransactionError`.
    public func requestTransaction(with actions: [CXAction], completion: @escaping ((any Error)?) -> Void) {
        request(CXTransaction(actions: actions), completion: completion)
    }

    /// Requests a transaction and returns when it has been accepted.
    /// - Throws: `CXErrorCodeRequestTransactionError`.
    nonisolated(nonsending) public func request(_ transaction: CXTransaction) async throws {
        try await request(transaction, .accepted, nil)
    }

    /// Requests a transaction with a shorter time-out for its actions, and returns when it has been accepted. Not in
    /// CallKit.
    /// - Parameters:
    ///   - transaction: the actions to perform, in order.
    ///   - timeout: the time-out of each action in seconds; it applies only if it is shorter than the system's. Nil
    ///     means the system's.
    /// - Throws: `CXErrorCodeRequestTransactionError`.
    nonisolated(nonsending) public func request(_ transaction: CXTransaction, timeout: TimeInterval?) async throws {
        try await request(transaction, .accepted, timeout)
    }

    /// Requests a transaction and returns when every action has been fulfilled. Not in CallKit (LiveCommunicationKit:
    /// `ConversationManager.perform`).
    /// - Parameters:
    ///   - transaction: the actions to perform, in order.
    ///   - timeout: the time-out of each action in seconds; it applies only if it is shorter than the system's. Nil
    ///     means the system's.
    /// - Throws: `CXErrorCodeRequestTransactionError`. Its `busName` says why an accepted action failed:
    ///   `ActionFailed`, `ActionTimedOut`, `ProviderCrashed`. Earlier actions remain performed.
    nonisolated(nonsending) public func perform(_ transaction: CXTransaction, timeout: TimeInterval? = nil) async throws
    {
        try await request(transaction, .performed, timeout)
    }

    /// Requests one action and returns when it has been accepted.
    /// - Throws: `CXErrorCodeRequestTransactionError`.
    nonisolated(nonsending) public func requestTransaction(with action: CXAction) async throws {
        try await request(CXTransaction(action: action))
    }

    /// Requests several actions and returns when they have been accepted.
    /// - Throws: `CXErrorCodeRequestTransactionError`.
    nonisolated(nonsending) public func requestTransaction(with actions: [CXAction]) async throws {
        try await request(CXTransaction(actions: actions))
    }

    nonisolated(nonsending) private func request(
        _ transaction: CXTransaction, _ mode: ReplyMode, _ timeout: TimeInterval?
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            request(transaction.actions, mode, timeout) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    private func request(
        _ actions: [CXAction], _ mode: ReplyMode, _ timeout: TimeInterval?,
        finish: @escaping @Sendable (CXErrorCodeRequestTransactionError?) -> Void
    ) {
        let models: [CallAction]
        let options: RequestOptions
        do throws(CallError) {
            options = RequestOptions(replyMode: mode, timeout: try timeout.map(Self.milliseconds))
            models = try Self.models(of: actions)
        } catch {
            finish(CXErrorCodeRequestTransactionError(error))
            return
        }
        Loop.shared.start()
        Loop.shared.post {
            let connection = SDKSession.current.connection
            connection.request(models, options) { result in
                let refusal: CXErrorCodeRequestTransactionError? =
                    if case .failure(let error) = result { CXErrorCodeRequestTransactionError(error) } else { nil }
                connection.watch.catchUp { finish(refusal) }
            }
        }
    }

    package static func models(of actions: [CXAction]) throws(CallError) -> [CallAction] {
        var models: [CallAction] = []
        for action in actions {
            guard let action = action as? CXCallAction else {
                throw CallError(.invalidAction, "\(type(of: action)) cannot be requested")
            }
            models.append(try action.model())
        }
        return models
    }

    private static func milliseconds(_ timeout: TimeInterval) throws(CallError) -> UInt32 {
        guard timeout > 0 else {
            throw CallError(.invalidArguments, "the time-out is \(timeout) s, expected more than 0")
        }
        return UInt32(min(max((timeout * 1000).rounded(), 1), Double(UInt32.max)))
    }
}
