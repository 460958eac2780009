// CXProvider: registers a source of calls and reports its calls.

internal import CallModel
internal import CallWire
internal import DBus
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
        endpoint = ProviderEndpoint(configuration: model, in: SDKSession.current)
        Loop.shared.start()
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
            provider.endpoint.session.handOver(to: audience.queue) {
                if let delegate = audience.delegate { event(delegate, provider) } else { orElse() }
            }
        }
        state.withLock { state in
            if let audience = state.audience { delivery(audience, self) } else { state.waiting.append(delivery) }
        }
    }
}

extension CXProvider {
    /// Reports an incoming call.
    /// - Parameters:
    ///   - callUUID: the new call's identifier; one that was ever used before is refused as `callUUIDAlreadyExists`.
    ///   - update: the caller, and what the call supports.
    ///   - completion: called on the delegate's queue, or on a private serial queue while no delegate is set. The
    ///     argument is nil when the call rings; every `CXCallObserver` of this process has the call by then. It is a
    ///     `CXErrorCodeIncomingCallError` if the call must not ring: refuse it on the network.
    public func reportNewIncomingCall(
        with callUUID: UUID, update: CXCallUpdate, completion: @escaping ((any Error)?) -> Void
    ) {
        let completion = Confined(completion)
        let finish: @Sendable (CXErrorCodeIncomingCallError?) -> Void = { [self] error in
            endpoint.session.handOver(to: queue) { completion.value(error) }
        }
        let wire: VariantDictionary
        do {
            wire = try update.model().wire
        } catch {
            finish(CXErrorCodeIncomingCallError(error))
            return
        }
        Loop.shared.post { [endpoint] in
            endpoint.report(ProviderMember.Host.reportNewIncomingCall, callUUID.wire, wire) { result in
                let refusal: CXErrorCodeIncomingCallError? =
                    if case .failure(let error) = result { CXErrorCodeIncomingCallError(error) } else { nil }
                endpoint.connection.watch.catchUp { finish(refusal) }
            }
        }
    }

    /// Reports an incoming call.
    /// - Throws: `CXErrorCodeIncomingCallError` if the call must not ring: refuse it on the network.
    nonisolated(nonsending) public func reportNewIncomingCall(with callUUID: UUID, update: CXCallUpdate) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            reportNewIncomingCall(with: callUUID, update: update) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// Reports a call that is connected already: one that outlived a restart, or that was dialed on the handset which the
    /// provider serves. If another call has the line, the delegate is asked to hold this one, or to end it; that may come
    /// before this method returns. When it returns, every `CXCallObserver` of this process has the call. Not in CallKit.
    /// - Parameters:
    ///   - callUUID: the call's identifier, as for an incoming call.
    ///   - isOutgoing: whether the call was started on this side.
    ///   - isOnHold: whether the network or the handset holds it.
    ///   - dateConnected: when it was connected; nil means now.
    ///   - update: the other party, and what the call supports.
    /// - Throws: `CXErrorCodeIncomingCallError` if the system does not take the call over.
    nonisolated(nonsending) public func reportOngoingCall(
        with callUUID: UUID, isOutgoing: Bool, isOnHold: Bool = false, connectedAt dateConnected: Date?,
        update: CXCallUpdate
    ) async throws {
        let wire: VariantDictionary
        do throws(CallError) {
            wire = try update.model().wire
        } catch {
            throw CXErrorCodeIncomingCallError(error)
        }
        let direction = isOutgoing ? CallDirection.outgoing : .incoming
        let (state, since) = (isOnHold ? "held" : "active", dateConnected?.wire ?? 0)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Loop.shared.post { [endpoint] in
                endpoint.report(
                    ProviderMember.Host.reportOngoingCall, callUUID.wire, direction.rawValue, state, since, wire
                ) { result in
                    let outcome = result.map { _ in }.mapError { CXErrorCodeIncomingCallError($0) }
                    endpoint.connection.watch.catchUp { continuation.resume(with: outcome) }
                }
            }
        }
    }

    /// Reports a change of a call. Properties that are not set in `update` do not change.
    public func reportCall(with callUUID: UUID, updated update: CXCallUpdate) { send(.updated(update), for: callUUID) }

    /// Reports that a call has ended without an action.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - dateEnded: when the call ended; nil means now.
    ///   - endedReason: why the call ended.
    public func reportCall(with callUUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
        reportCall(with: callUUID, endedAt: dateEnded, reason: endedReason, details: CXCallEndedDetails())
    }

    /// Reports that a call has ended without an action, and what the network says about it. The report keeps its place
    /// among the others. Not in CallKit.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - dateEnded: when the call ended; nil means now.
    ///   - endedReason: why the call ended.
    ///   - details: the network's reason, such as that the far side is busy, and its code.
    public func reportCall(
        with callUUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason,
        details: CXCallEndedDetails
    ) {
        send(.ended(dateEnded, endedReason, details), for: callUUID)
    }

    /// Reports that an outgoing call has started connecting to the far side.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - dateStartedConnecting: when connecting started; nil means now.
    public func reportOutgoingCall(with callUUID: UUID, startedConnectingAt dateStartedConnecting: Date?) {
        send(.startedConnecting(dateStartedConnecting), for: callUUID)
    }

    /// Reports that the far side of an outgoing call has answered.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - dateConnected: when the call was connected; nil means now.
    public func reportOutgoingCall(with callUUID: UUID, connectedAt dateConnected: Date?) {
        send(.connected(dateConnected), for: callUUID)
    }
}

extension UUID {
    /// The form on the wire: lower case, with dashes.
    var wire: String { CallID(self).description }
}

extension CXProvider {
    /// Turns a push message into an incoming call, from a notification service extension (CallKit, iOS 14.5).
    ///
    /// This system has no such extensions: a plugin, or an app that the bus starts, reports the call by
    /// `reportNewIncomingCall(with:update:completion:)`.
    /// - Parameters:
    ///   - dictionaryPayload: the message.
    ///   - completion: called on the main queue, always with the `CXErrorCodeNotificationServiceExtensionError`
    ///     `invalidClientProcess`.
    public static func reportNewIncomingVoIPPushPayload(
        _ dictionaryPayload: [AnyHashable: Any], completion: (((any Error)?) -> Void)? = nil
    ) {
        guard let completion else { return }
        let answer = Confined(completion)
        DispatchQueue.main.async { answer.value(noExtension) }
    }

    /// Turns a push message into an incoming call. This system has no extensions that could.
    /// - Throws: always `CXErrorCodeNotificationServiceExtensionError` `invalidClientProcess`.
    nonisolated(nonsending) public static func reportNewIncomingVoIPPushPayload(
        _ dictionaryPayload: [AnyHashable: Any]
    ) async throws { throw noExtension }

    private static var noExtension: CXErrorCodeNotificationServiceExtensionError {
        CXErrorCodeNotificationServiceExtensionError(
            .invalidClientProcess, message: "this system has no notification service extensions")
    }
}
