// CXProvider: a source of calls, as the app that carries them sees it.

internal import CallModel
internal import EventLoop
internal import Synchronization

/// Reports calls to the system and has its delegate do what the system asks (CallKit: CXProvider). Its methods may be
/// called on any thread; what they tell reaches the system in the order of the calls.
///
/// Invalidate a provider before letting go of it; one that goes without is invalidated then.
public final class CXProvider: Sendable {
    typealias Event = @Sendable (any CXProviderDelegate, CXProvider) -> Void

    private struct Audience {
        let delegate: DelegateReference
        let queue: DispatchQueue
    }

    private struct State {
        var audience: Audience?
        /// What happened before there was a delegate, oldest first.
        var waiting: [@Sendable (Audience, CXProvider) -> Void] = []
        var configuration: ProviderConfiguration
        var transactions: [CXTransaction] = []
    }

    /// With so many transactions kept, those that are complete are let go of.
    private static let tidyLimit = 16

    private let state: Mutex<State>
    /// Where completions are called as long as there is no delegate.
    private let ownQueue = DispatchQueue(label: "org.opencallkit.CXProvider")
    let endpoint: ProviderEndpoint

    /// Whether calls can be provided on this system.
    public static var isSupported: Bool { true }

    /// Registers a provider. It can take calls when its delegate gets `providerDidBegin(_:)`; reports made before that
    /// wait for it.
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

    /// Sets who does the work. What happened before is delivered then.
    /// - Parameters:
    ///   - delegate: does the work; referred to weakly.
    ///   - queue: where it is called; nil is the main queue.
    public func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
        let audience = Audience(delegate: DelegateReference(delegate), queue: queue ?? .main)
        // In the lock, so that nothing overtakes what has waited.
        state.withLock { state in
            state.audience = audience
            for event in state.waiting { event(audience, self) }
            state.waiting = []
        }
    }

    /// What the provider has declared, as a copy; set it to change the registration at any time.
    public var configuration: CXProviderConfiguration {
        get { CXProviderConfiguration(state.withLock { $0.configuration }) }
        set {
            let model = newValue.model
            state.withLock { $0.configuration = model }
            Loop.shared.post { [endpoint] in endpoint.update(model) }
        }
    }

    /// Ends being a provider: all its calls end as failed, and the delegate gets `providerDidReset(_:)`.
    public func invalidate() {
        Loop.shared.post { [endpoint] in endpoint.invalidate(announcing: true) }
    }

    /// Every transaction that has an action which is not complete, oldest first: the very ones that the delegate was asked
    /// about in `provider(_:execute:)`.
    public var pendingTransactions: [CXTransaction] {
        state.withLock { $0.transactions }.filter { !$0.isComplete }
    }

    /// The actions of a class that are not complete and concern a call. `CXCallAction.self` is every class.
    public func pendingCallActions(of callActionClass: AnyClass, withCall callUUID: UUID) -> [CXCallAction] {
        pendingTransactions.flatMap(\.actions).compactMap { $0 as? CXCallAction }
            .filter { action in
                action.callUUID == callUUID && !action.isComplete
                    && (callActionClass == CXCallAction.self || type(of: action) == callActionClass)
            }
    }

    /// The queue on which the app gets completions.
    var queue: DispatchQueue { state.withLock { $0.audience?.queue } ?? ownQueue }

    func add(_ transaction: CXTransaction) {
        state.withLock { state in
            // Now and then: the provider is waited for.
            if state.transactions.count >= Self.tidyLimit { state.transactions.removeAll(where: \.isComplete) }
            state.transactions.append(transaction)
        }
    }

    /// Calls the delegate on its queue, or as soon as there is one.
    /// - Parameter orElse: called on the queue if the delegate is gone.
    func deliver(_ event: @escaping Event, orElse: @escaping @Sendable () -> Void = {}) {
        let delivery: @Sendable (Audience, CXProvider) -> Void = { audience, provider in
            audience.queue.handOver {
                if let delegate = audience.delegate.take() { event(delegate, provider) } else { orElse() }
            }
        }
        state.withLock { state in
            if let audience = state.audience { delivery(audience, self) } else { state.waiting.append(delivery) }
        }
    }
}
