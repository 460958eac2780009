// What a provider reports: calls that come in, change, connect and end.

internal import CallModel
internal import DBus
internal import EventLoop
internal import CallWire

extension CXProvider {
    /// Tells that somebody calls.
    /// - Parameters:
    ///   - callUUID: names the call from now on; one that was ever used is refused as `callUUIDAlreadyExists`.
    ///   - update: who calls, and what the call can do.
    ///   - completion: called on the delegate's queue, or on a private serial one as long as no delegate is set. With nil
    ///     when the call rings: every `CXCallObserver` of this process has it by then. With an error, a
    ///     `CXErrorCodeIncomingCallError`, the call must not go on: tell the network.
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

    /// Tells that somebody calls.
    /// - Throws: `CXErrorCodeIncomingCallError`; the call must not go on then.
    nonisolated(nonsending) public func reportNewIncomingCall(with callUUID: UUID, update: CXCallUpdate) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            reportNewIncomingCall(with: callUUID, update: update) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// Tells what has changed about a call; what is not set in `update` is unchanged.
    public func reportCall(with callUUID: UUID, updated update: CXCallUpdate) {
        do {
            let wire = try update.model().wire
            Loop.shared.post { [endpoint] in
                endpoint.report(ProviderMember.Host.reportCallUpdated, callUUID.wire, wire)
            }
        } catch {
            Diagnostics.note("the update of call \(callUUID.wire) was not sent: \(error.message)")
        }
    }

    /// Tells that a call is over without having been asked to end it.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - dateEnded: when that was; nil is now.
    ///   - endedReason: why.
    public func reportCall(with callUUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
        Loop.shared.post { [endpoint] in
            endpoint.report(
                ProviderMember.Host.reportCallEnded, callUUID.wire, dateEnded?.wire ?? 0, endedReason.model.rawValue)
        }
    }

    /// Tells that the far side of an outgoing call has been reached.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - dateStartedConnecting: when that was; nil is now.
    public func reportOutgoingCall(with callUUID: UUID, startedConnectingAt dateStartedConnecting: Date?) {
        Loop.shared.post { [endpoint] in
            endpoint.report(
                ProviderMember.Host.reportOutgoingCallStartedConnecting, callUUID.wire, dateStartedConnecting?.wire ?? 0
            )
        }
    }

    /// Tells that the far side of an outgoing call has answered.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - dateConnected: when that was; nil is now.
    public func reportOutgoingCall(with callUUID: UUID, connectedAt dateConnected: Date?) {
        Loop.shared.post { [endpoint] in
            endpoint.report(ProviderMember.Host.reportOutgoingCallConnected, callUUID.wire, dateConnected?.wire ?? 0)
        }
    }
}

extension UUID {
    /// As it is written on the wire: lower case, with dashes.
    var wire: String { CallID(self).description }
}
