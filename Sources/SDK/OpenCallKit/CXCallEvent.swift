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
    case ended(Date?, CXCallEndedReason, CXCallEndedDetails = CXCallEndedDetails())
}

extension CXProvider {
    /// Reports an event and waits until the system has accepted it. Unlike `reportCall(with:updated:)` and its
    /// siblings, this method reports errors. Not in CallKit.
    /// - Throws: `CXErrorCodeRequestTransactionError`: `unknownCallUUID` for a call that does not exist or has ended
    ///   (its `busName` is `UnknownCall` or `AlreadyEnded`); `invalidAction` for an event that is impossible in its
    ///   state.
    nonisolated(nonsending) public func report(_ event: CXCallEvent, for callUUID: UUID) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            send(event, for: callUUID) { result in
                continuation.resume(with: result.map { _ in }.mapError { CXErrorCodeRequestTransactionError($0) })
            }
        }
    }

    /// Sends an event to the host. Without an answer to give, a refusal is written to standard error.
    func send(_ event: CXCallEvent, for callUUID: UUID, answer: ProviderEndpoint.Answer? = nil) {
        typealias Member = ProviderMember.Host
        let uuid = callUUID.wire
        switch event {
        case .startedConnecting(let date):
            let at = date?.wire ?? 0
            post {
                $0.report(Member.reportOutgoingCallStartedConnecting, uuid, at, VariantDictionary(), answer: answer)
            }
        case .connected(let date):
            let at = date?.wire ?? 0
            post { $0.report(Member.reportOutgoingCallConnected, uuid, at, VariantDictionary(), answer: answer) }
        case .updated(let update):
            do throws(CallError) {
                let wire = try update.model().wire
                post { $0.report(Member.reportCallUpdated, uuid, wire, answer: answer) }
            } catch {
                guard let answer else {
                    return Diagnostics.note("the update of call \(uuid) was not sent: \(error.message)")
                }
                Loop.shared.post { answer(.failure(error.dbusError)) }
            }
        case .ended(let date, let reason, let details):
            let (at, word, wire) = (date?.wire ?? 0, reason.name, details.model.wire)
            post { $0.report(Member.reportCallEnded, uuid, at, word, wire, answer: answer) }
        }
    }

    private func post(_ report: @escaping @LoopActor @Sendable (ProviderEndpoint) -> Void) {
        Loop.shared.post { [endpoint] in report(endpoint) }
    }
}
