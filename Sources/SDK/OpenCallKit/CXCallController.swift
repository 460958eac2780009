// CXCallController: asks the system to do something with calls.

internal import CallModel
internal import EventLoop
internal import CallWire
internal import Synchronization

/// Requests transactions, on behalf of the user (CallKit: CXCallController). The system checks them, makes room for
/// what they want, and has the calls' providers perform them.
public final class CXCallController: Sendable {
    private let queue: DispatchQueue
    private let observer = Mutex<CXCallObserver?>(nil)

    /// Completions are called on a private serial queue.
    public convenience init() { self.init(queue: DispatchQueue(label: "org.opencallkit.CXCallController")) }

    /// Completions are called on a queue of one's own.
    /// - Parameter queue: where completions are called.
    public init(queue: DispatchQueue) { self.queue = queue }

    /// Sees all calls of the machine. Made, and paid for, when it is first asked for.
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
    ///   - transaction: actions to be performed in order.
    ///   - completion: called with nil when the transaction has been accepted; what becomes of it shows in the calls.
    ///     Otherwise with a `CXErrorCodeRequestTransactionError`, and nothing is done.
    public func request(_ transaction: CXTransaction, completion: @escaping ((any Error)?) -> Void) {
        request(transaction, timeout: nil, completion: completion)
    }

    /// Requests a transaction whose actions may not take as long as they could. Not in CallKit.
    /// - Parameters:
    ///   - transaction: actions to be performed in order.
    ///   - timeout: how long each action's provider may take, in seconds; it counts only if it is shorter than the
    ///     system's own. Nil is the system's own.
    ///   - completion: called with nil when the transaction has been accepted, otherwise with a
    ///     `CXErrorCodeRequestTransactionError`.
    public func request(
        _ transaction: CXTransaction, timeout: TimeInterval?, completion: @escaping ((any Error)?) -> Void
    ) {
        let completion = Confined(completion)
        request(transaction.actions, .accepted, timeout) { [queue] error in queue.handOver { completion.take()(error) }
        }
    }

    /// Requests one action.
    /// - Parameters:
    ///   - action: what is to be done.
    ///   - completion: called with nil when the action has been accepted, otherwise with a
    ///     `CXErrorCodeRequestTransactionError`.
    public func requestTransaction(with action: CXAction, completion: @escaping ((any Error)?) -> Void) {
        request(CXTransaction(action: action), completion: completion)
    }

    /// Requests actions, to be performed in order.
    /// - Parameters:
    ///   - actions: what is to be done, in this order.
    ///   - completion: called with nil when they have been accepted, otherwise with a
    ///     `CXErrorCodeRequestTransactionError`.
    public func requestTransaction(with actions: [CXAction], completion: @escaping ((any Error)?) -> Void) {
        request(CXTransaction(actions: actions), completion: completion)
    }

    /// Requests a transaction; returns when it has been accepted.
    /// - Throws: `CXErrorCodeRequestTransactionError`.
    nonisolated(nonsending) public func request(_ transaction: CXTransaction) async throws {
        try await request(transaction, .accepted, nil)
    }

    /// Requests a transaction whose actions may not take as long as they could; returns when it has been accepted. Not in
    /// CallKit.
    /// - Parameters:
    ///   - transaction: actions to be performed in order.
    ///   - timeout: how long each action's provider may take, in seconds; it counts only if it is shorter than the
    ///     system's own.
    /// - Throws: `CXErrorCodeRequestTransactionError`.
    nonisolated(nonsending) public func request(_ transaction: CXTransaction, timeout: TimeInterval?) async throws {
        try await request(transaction, .accepted, timeout)
    }

    /// Requests a transaction; returns when every action of it has been fulfilled. Not in CallKit
    /// (LiveCommunicationKit: `ConversationManager.perform`).
    /// - Parameters:
    ///   - transaction: actions to be performed in order.
    ///   - timeout: how long each action's provider may take, in seconds; it counts only if it is shorter than the
    ///     system's own.
    /// - Throws: `CXErrorCodeRequestTransactionError`. Its `busName` tells why an action that was accepted came to
    ///   nothing: `ActionFailed`, `ActionTimedOut`, `ProviderCrashed`. What was done before stays done.
    nonisolated(nonsending) public func perform(_ transaction: CXTransaction, timeout: TimeInterval? = nil) async throws
    {
        try await request(transaction, .performed, timeout)
    }

    /// Requests one action; returns when it has been accepted.
    /// - Throws: `CXErrorCodeRequestTransactionError`.
    nonisolated(nonsending) public func requestTransaction(with action: CXAction) async throws {
        try await request(CXTransaction(action: action))
    }

    /// Requests actions; returns when they have been accepted.
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
        HostConnection.startLoop()
        Loop.shared.post {
            HostConnection.shared.request(models, options) { result in
                let refusal: CXErrorCodeRequestTransactionError? =
                    if case .failure(let error) = result { CXErrorCodeRequestTransactionError(error) } else { nil }
                CallWatch.shared.catchUp { finish(refusal) }
            }
        }
    }

    static func models(of actions: [CXAction]) throws(CallError) -> [CallAction] {
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
