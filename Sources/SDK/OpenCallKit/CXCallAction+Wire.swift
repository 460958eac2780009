// Creates the action object for a request of the host.

internal import CallModel
internal import CallWire

extension CXCallAction {
    /// - Parameter answer: takes the provider's answer; called once at most, on any thread.
    static func make(_ wire: PerformWire, answer: @escaping Answer) -> CXCallAction {
        switch wire.action {
        case .start(_, let start):
            CXStartCallAction(
                wire, handle: start.handle, video: start.video, contact: start.contact, answer: answer)
        case .answer: CXAnswerCallAction(wire, answer: answer)
        case .end(_, let reason): CXEndCallAction(wire, reason: reason, answer: answer)
        case .setHeld(_, let onHold): CXSetHeldCallAction(wire, onHold: onHold, answer: answer)
        case .setMuted(_, let muted): CXSetMutedCallAction(wire, muted: muted, answer: answer)
        case .setGroup(_, let other): CXSetGroupCallAction(wire, other: other, answer: answer)
        case .transfer(_, let target): CXTransferCallAction(wire, target, answer: answer)
        case .answerTransfer(_, let handle): CXAnswerTransferCallAction(wire, handle, answer: answer)
        case .setTranslating(_, let isTranslating, let languages):
            CXSetTranslatingCallAction(wire, isTranslating, languages, answer: answer)
        case .playDTMF(_, let digits, let tone): CXPlayDTMFCallAction(wire, digits: digits, tone: tone, answer: answer)
        }
    }
}
