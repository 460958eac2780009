// CXProvider: registers a source of calls and reports its calls.

internal import CallModel
internal import EventLoop
internal import Synchronization

/// Reports calls to the system and passes the system's actions to its delegate (CallKit: CXProvider). Its methods may
/// be called on any thread; reports reach the system in the order in which they are made.
///
/// Invalidate a provider before you release it; otherwise it is invalidated when it is deinitialized.
public final class CXProvider: Sendable {
    typealias Event = @Sendable (any CXProviderDelegate, CXProvider) -> Void

    private typealias Audience = OpenCallKit.Audience<any CXProviderDelegate>

    private struct State {
        var audience: Audience?
        /// The events that occurred before a delegate was set, oldest first.
        var waiting: [@Sendable (Audience, CXProvider) -> Void] = []
        var configuration: ProviderConfiguration
        var transactions: [CXTransaction] = []
    }

    private let state: Mutex<State>
    /// The queue for completions while no delegate is set.
    private let ownQueue = DispatchQueue(label: "org.opencallkit.CXProvider")
    let endpoint: ProviderEndpoint

    /// Whether this system supports providers; always true.
    public static var isSupported: Bool { true }

    /// Creates and registers a provider. It can take calls once its delegate gets `providerDidBegin(_:)`; earlier
    /// reports wait until then.
    public init(configuration: CXProviderConfiguration) {
        let model = configuration.model
        state = Mutex(State(configuration: model))
        endpoint = ProviderEndpoint(configuration: model)
        HostConnection.startLoop()
        Loop.shared.post { [self] in endpoint.open(for: self) }
    }

    deinit {
        Loop.shared.post { [endpoint] in endpoint.invalidate(announcing: false) }
    }

    /// Sets the delegate. Earlier events are delivered to it.
    /// - Parameters:
    ///   - delegate: the delegate, referenced weakly.
    ///   - queue: the queue on which the delegate is called; nil is the main queue.
    public func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
        let audience = Audience(on: queue) { [weak delegate] in delegate }
        // Inside the lock, so that no event overtakes one that waited.
        state.withLock { state in
            state.audience = audience
            for event in state.waiting { event(audience, self) }
            state.waiting = []
        }
    }

    /// A copy of the provider's configuration. Set it at any time to change the registration.
    public var configuration: CXProviderConfiguration {
        get { CXProviderConfiguration(state.withLock { $0.configuration }) }
        set {
            let model = newValue.model
            state.withLock { $0.configuration = model }
            Loop.shared.post { [endpoint] in endpoint.update(model) }
        }
    }

    /// Unregisters the provider: all its calls end as failed, and the delegate gets `providerDidReset(_:)`.
    public func invalidate() { Loop.shared.post { [endpoint] in endpoint.invalidate(announcing: true) } }

    /// The transactions that have an incomplete action, oldest first: the same objects that the delegate got in
    /// `provider(_:execute:)`.
    public var pendingTransactions: [CXTransaction] {
        state.withLock { $0.transactions }.filter { !$0.isComplete }
    }

    /// Returns the incomplete actions of a class that concern a call. `CXCallAction.self` matches every class.
    public func pendingCallActions(of callActionClass: AnyClass, withCall callUUID: UUID) -> [CXCallAction] {
        pendingTransactions.flatMap(\.actions).compactMap { $0 as? CXCallAction }
            .filter { action in
                action.callUUID == callUUID && !action.isComplete
                    && (callActionClass == CXCallAction.self || type(of: action) == callActionClass)
            }
    }

    /// The queue on which completions are called.
    var queue: DispatchQueue { state.withLock { $0.audience?.queue } ?? ownQueue }

    func add(_ transaction: CXTransaction) {
        state.withLock { state in
            state.transactions.removeAll(where: \.isComplete)
            state.transactions.append(transaction)
        }
    }

    /// Calls the delegate on its queue, or later if no delegate is set yet.
    /// - Parameter orElse: called on the queue if the delegate has been released.
    func deliver(_ event: @escaping Event, orElse: @escaping @Sendable () -> Void = {}) {
        let delivery: @Sendable (Audience, CXProvider) -> Void = { audience, provider in
            audience.queue.handOver {
                if let delegate = audience.delegate { event(delegate, provider) } else { orElse() }
            }
        }
        state.withLock { state in
            if let audience = state.audience { delivery(audience, self) } else { state.waiting.append(delivery) }
        }
    }
}
