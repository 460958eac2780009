// What can be asked of a call: the kinds of CXCallAction as one value.

/// The kinds of action, by their names on the bus.
public enum ActionKind: String, Sendable, Hashable, CaseIterable {
    case start, answer, end
    case setHeld = "set-held"
    case setMuted = "set-muted"
    case setGroup = "set-group"
    case playDTMF = "play-dtmf"
    case setTranslating = "set-translating"
    case transfer
    case transferTo = "transfer-to"
    case answerTransfer = "answer-transfer"
}

/// How the digits of a play-dtmf action came about (CXPlayDTMFCallAction.ActionType).
public enum DTMFTone: String, Sendable, Hashable, CaseIterable {
    case singleTone = "single-tone"
    case softPause = "soft-pause"
    case hardPause = "hard-pause"
}

/// Where a call is transferred to.
public enum TransferTarget: Sendable, Hashable {
    /// Somebody else is called in our place (a blind transfer).
    case handle(Handle)
    /// The far side of another call of the same provider (an attended transfer).
    case call(CallID)
}

/// One action on one call.
public enum CallAction: Sendable, Hashable {
    /// Begin an outgoing call.
    case start(CallID, StartRequest)
    case answer(CallID)
    /// `reason` is a free word for the provider, set by Reject; empty for a plain end.
    case end(CallID, reason: String)
    case setHeld(CallID, Bool)
    case setMuted(CallID, Bool)
    /// Join the group of `with`, or leave the group (nil).
    case setGroup(CallID, with: CallID?)
    /// No digits, after a hard pause: the next of those that wait for the user.
    case playDTMF(CallID, digits: String, tone: DTMFTone)
    /// Begin to translate, or to translate otherwise; or end the translation.
    case setTranslating(CallID, Bool, Languages)
    /// Connect the far side with another party, and leave the call.
    case transfer(CallID, TransferTarget)
    /// Accept the transfer that the far side asks for, and go on with this party; or decline it (nil).
    case answerTransfer(CallID, to: Handle?)

    public var call: CallID {
        switch self {
        case .start(let call, _), .answer(let call), .end(let call, _), .setHeld(let call, _),
            .setMuted(let call, _), .setGroup(let call, _), .playDTMF(let call, _, _),
            .setTranslating(let call, _, _), .transfer(let call, _), .answerTransfer(let call, _):
            call
        }
    }

    public var kind: ActionKind {
        switch self {
        case .start: .start
        case .answer: .answer
        case .end: .end
        case .setHeld: .setHeld
        case .setMuted: .setMuted
        case .setGroup: .setGroup
        case .playDTMF: .playDTMF
        case .setTranslating: .setTranslating
        case .transfer(_, .handle): .transfer
        case .transfer(_, .call): .transferTo
        case .answerTransfer: .answerTransfer
        }
    }

    /// - Throws: `InvalidArguments` unless `digits` matches `[0-9A-Da-d*#,;]{1,64}`; none after a hard pause are those
    ///   that wait.
    public static func checkDigits(_ digits: String, after tone: DTMFTone = .singleTone) throws(CallError) {
        if digits.isEmpty, tone == .hardPause { return }
        let allowed = Set("0123456789ABCDabcd*#,;")
        guard (1...64).contains(digits.utf8.count), digits.allSatisfy(allowed.contains) else {
            throw CallError(
                .invalidArguments, "digits are 1 to 64 characters out of 0-9, A-D, a-d, *, #, comma and semicolon")
        }
    }
}

/// What to do with an active call in the way of a new one.
public enum ConflictPolicy: String, Sendable, Hashable, CaseIterable {
    case hold, end, fail
}

/// When a request is answered: once every action is fulfilled, or once it is accepted (CallKit's own meaning).
public enum ReplyMode: String, Sendable, Hashable, CaseIterable {
    case performed, accepted
}
