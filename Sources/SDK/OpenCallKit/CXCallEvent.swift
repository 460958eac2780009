// CXCallEvent: what happens to a call, as one value.

internal import CallModel
internal import DBus
internal import EventLoop
internal import CallWire

/// Something that a provider reports about a call that the system knows. Not in CallKit (LiveCommunicationKit:
/// `Conversation.Event`).
public enum CXCallEvent {
    /// The far side of an outgoing call is being reached, since then; nil is now.
    case startedConnecting(Date?)
    /// The far side of an outgoing call has answered; nil is now.
    case connected(Date?)
    /// What is set has changed.
    case updated(CXCallUpdate)
    /// The call is over, without having been asked for; nil is now.
    case ended(Date?, CXCallEndedReason)
}

extension CXProvider {
    /// Reports an event and returns when the system has taken it in: like `reportCall(with:updated:)` and its siblings,
    /// but with an answer. Not in CallKit.
    /// - Throws: `CXErrorCodeRequestTransactionError`: `unknownCallUUID` for a call that is not there or has ended, by its
    ///   `busName` `UnknownCall` or `AlreadyEnded`; `invalidAction` for what cannot be so of that call.
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
