// CXCallEvent: a report about a call as a value.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

/// A report about an existing call. Not in CallKit (LiveCommunicationKit: `Conversation.Event`).
public enum CXCallEvent {
    /// An outgoing call has started connecting to the far side, at that date; nil means now.
    case startedConnecting(Date?)
    /// The far side of an outgoing call has answered, at that date; nil means now.
    case connected(Date?)
    /// The properties that are set have changed.
    case updated(CXCallUpdate)
    /// The call has ended without an action, at that date; nil means now.
    case ended(Date?, CXCallEndedReason)
}

extension CXProvider {
    /// Reports an event and waits until the system has accepted it. Unlike `reportCall(with:updated:)` and its
    /// siblings, this method reports errors. Not in CallKit.
    /// - Throws: `CXErrorCodeRequestTransactionError`: `unknownCallUUID` for a call that does not exist or has ended
    ///   (its `busName` is `UnknownCall` or `AlreadyEnded`); `invalidAction` for an event that is impossible in its
    ///   state.
    nonisolated(nonsending) public func report(_ event: CXCallEvent, for callUUID: UUID) async throws {
        let report: @LoopActor @Sendable (ProviderEndpoint, @escaping ProviderEndpoint.Answer) -> Void
        let uuid = callUUID.wire
        switch event {
        case .startedConnecting(let date):
            let at = date?.wire ?? 0
            report = { $0.report(ProviderMember.Host.reportOutgoingCallStartedConnecting, uuid, at, answer: $1) }
        case .connected(let date):
            let at = date?.wire ?? 0
            report = { $0.report(ProviderMember.Host.reportOutgoingCallConnected, uuid, at, answer: $1) }
        case .updated(let update):
            let wire: VariantDictionary
            do {
                wire = try update.model().wire
            } catch {
                throw CXErrorCodeRequestTransactionError(error)
            }
            report = { $0.report(ProviderMember.Host.reportCallUpdated, uuid, wire, answer: $1) }
        case .ended(let date, let reason):
            let (at, word) = (date?.wire ?? 0, reason.model.rawValue)
            report = { $0.report(ProviderMember.Host.reportCallEnded, uuid, at, word, answer: $1) }
        }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Loop.shared.post { [endpoint] in
                report(endpoint) { result in
                    switch result {
                    case .success: continuation.resume()
                    case .failure(let error):
                        continuation.resume(throwing: CXErrorCodeRequestTransactionError(error))
                    }
                }
            }
        }
    }
}
