// The reports of a provider: calls that come in, change, connect and end.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

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
            queue.handOver { completion.take()(error) }
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
                CallWatch.shared.catchUp { finish(refusal) }
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
                    CallWatch.shared.catchUp { continuation.resume(with: outcome) }
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
        send(.ended(dateEnded, endedReason), for: callUUID)
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
