// CXCallObserver: observes every call on this machine.

internal import EventLoop
internal import Synchronization

/// A delegate that is told of changed calls (CallKit: CXCallObserverDelegate).
public protocol CXCallObserverDelegate: AnyObject {
    /// Tells the delegate that a call was added, changed or ended. Called once for each change of a property of
    /// `CXCall`, on the queue given to `setDelegate(_:queue:)`; unlike in CallKit, also called once for each call that
    /// is older than the observer.
    func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall)
}

/// Observes all calls on the machine, of any app or plugin, without the caller's identity (CallKit:
/// CXCallObserver). It works in a plugin and in an app; in an app without callkitd there are no calls.
public final class CXCallObserver: Sendable {
    private struct Content {
        var audience: Audience<any CXCallObserverDelegate>?
        var calls: [CXCall] = []
        var hasArrived = false
    }

    /// The maximum time that `calls` waits for the system's first answer.
    private static let arrivalTimeout = DispatchTimeInterval.seconds(5)

    private let session = SDKSession.current
    private let content = Mutex(Content())
    /// Left when all present calls have been reported for the first time.
    let arrival = DispatchGroup()

    /// Creates an observer, which starts to observe at once. This method does not wait; see `calls`.
    public init() {
        arrival.enter()
        Loop.shared.start()
        Loop.shared.post { [weak self] in if let self { session.connection.watch.add(self) } }
    }

    deinit {
        arrived()
        Loop.shared.post { [session] in session.connection.watch.prune() }
    }

    /// The calls that have not ended, oldest first.
    ///
    /// The first use waits until the system has reported all calls, at most 5 seconds, but never on the main queue or
    /// the main thread: there it returns the known calls, and the delegate is told of the rest.
    public var calls: [CXCall] {
        if !MainPlace.isCurrent { _ = arrival.wait(timeout: .now() + Self.arrivalTimeout) }
        return content.withLock { $0.calls }
    }

    /// Sets the delegate.
    /// - Parameters:
    ///   - delegate: the delegate, referenced weakly; nil for none.
    ///   - queue: the queue on which the delegate is called; nil is the main queue.
    public func setDelegate(_ delegate: (any CXCallObserverDelegate)?, queue: DispatchQueue?) {
        let audience = delegate.map { _ in
            Audience<any CXCallObserverDelegate>(on: queue) { [weak delegate] in delegate }
        }
        content.withLock { $0.audience = audience }
    }

    /// Notes that all present calls have been reported. Only the first time counts.
    func arrived() {
        let isFirst = content.withLock { content in
            defer { content.hasArrived = true }
            return !content.hasArrived
        }
        if isFirst { arrival.leave() }
    }

    func show(_ calls: [CXCall]) { content.withLock { $0.calls = calls } }

    func tell(_ call: CXCall) {
        guard let audience = content.withLock({ $0.audience }) else { return }
        session.handOver(to: audience.queue) { audience.delegate?.callObserver(self, callChanged: call) }
    }
}
