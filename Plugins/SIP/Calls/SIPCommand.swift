// SIPCommand: what the engine is told to do with a call.

/// A command to the engine, about the call with this number. Those with a token are done later.
public enum SIPCommand: Hashable, Sendable {
    case start(UInt64, uri: String, hidesNumber: Bool)
    case ring(UInt64)
    case answer(UInt64, token: UInt64)
    /// - Parameter code: with which an incoming call that was not answered is rejected.
    case end(UInt64, code: UInt16)
    case hold(UInt64, Bool, token: UInt64)
    case mute(UInt64, Bool)
    case digits(UInt64, String, token: UInt64)
    /// - Parameter group: the number of a conference; 0 is none.
    case group(UInt64, UInt64)
    case transfer(UInt64, uri: String, token: UInt64)
    case transferTo(UInt64, UInt64, token: UInt64)
    /// Says that the user is asked whether to go on with this party.
    /// - Parameter replaces: the call that the new one takes the place of, as a Replaces header has it.
    case takeTransfer(UInt64, uri: String, replaces: String?)
    /// - Parameter code: why a transfer is not understood.
    case refuseTransfer(UInt64, code: UInt16)
    case answerTransfer(UInt64, Bool, token: UInt64)
}
