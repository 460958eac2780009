// SIPAction: what the system asks for.

public import OpenCallKit

/// What the system asks for about a call.
public enum SIPAction: Hashable, Sendable {
    /// - Parameter hidesNumber: whether the far side is not to see who calls.
    case start(CXHandle, hidesNumber: Bool = false)
    case answer
    case end
    case hold(Bool)
    case mute(Bool)
    /// - Parameter digits: with a comma or a semicolon for each pause.
    case digits(String)
    /// Joins the call with another one.
    case join(UUID)
    /// Takes the call out of its conference.
    case leave
    case transfer(CXHandle)
    case transferTo(UUID)
    /// Accepts a transfer to this party; nil declines it.
    case answerTransfer(CXHandle?)

    /// Nil for an action that SIP does not know.
    public init?(_ action: CXCallAction) {
        switch action {
        case let action as CXStartCallAction:
            self = .start(action.handle, hidesNumber: action.hidesNumber == true)
        case is CXAnswerCallAction: self = .answer
        case is CXEndCallAction: self = .end
        case let action as CXSetHeldCallAction: self = .hold(action.isOnHold)
        case let action as CXSetMutedCallAction: self = .mute(action.isMuted)
        case let action as CXPlayDTMFCallAction: self = .digits(action.digits)
        case let action as CXSetGroupCallAction: self = action.callUUIDToGroupWith.map(Self.join) ?? .leave
        case let action as CXAnswerTransferCallAction: self = .answerTransfer(action.handle)
        case let action as CXTransferCallAction:
            if let handle = action.handle {
                self = .transfer(handle)
            } else {
                guard let other = action.otherCallUUID else { return nil }
                self = .transferTo(other)
            }
        default: return nil
        }
    }
}

/// Why an action cannot be performed.
public struct SIPRefusal: Hashable, Sendable {
    public var word: CXAction.Refusal?
    /// A sentence for people, without the other party's name.
    public var text: String

    init(_ word: CXAction.Refusal?, _ text: String) { (self.word, self.text) = (word, text) }

    /// The network did not do what was asked.
    init(code: UInt16, failure: SIPFailure) {
        switch failure {
        case .timeout: self.init(.unreachable, "the far side does not answer")
        case .unreachable, .nameNotFound: self.init(.unreachable, "there is no connection")
        case .certificate: self.init(.unreachable, "the far side is not who it claims to be")
        case .incompatible: self.init(.unsupported, "the far side has no codec or encryption in common")
        case .other: self = Self(code: code)
        }
        if code > 0 { self = Self(code: code) }
    }

    private init(code: UInt16) {
        switch code {
        case 0: self.init(nil, "the network did not do it")
        case 486, 600: self.init(.busy, "the far side is busy")
        case 401, 403, 407: self.init(.unauthorized, "the far side does not allow it (\(code))")
        case 408, 480, 503, 504: self.init(.unreachable, "the far side cannot be reached (\(code))")
        case 405, 415, 420, 488, 489, 501, 606: self.init(.unsupported, "the far side cannot do it (\(code))")
        default: self.init(nil, "the far side refuses it (\(code))")
        }
    }

    static let noSuchCall = SIPRefusal(.unreachable, "the call has ended")
}
