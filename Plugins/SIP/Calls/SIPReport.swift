// SIPReport: what the system is told about a call.

public import OpenCallKit

/// A report to the system about a call.
public enum SIPReport: Hashable, Sendable {
    case incoming(SIPCallerDetails)
    case startedConnecting
    case connected
    case progress(CXCallUpdate.Progress)
    case media(codec: String, encryption: String)
    case remoteHeld(Bool)
    /// The far side asks to go on with this party.
    case transferRequest(CXHandle)
    /// It does not ask any more.
    case transferRequestWithdrawn
    /// The call goes on with another party; nil for one that is withheld.
    case replaced(CXHandle?, name: String?)
    case quality(SIPQuality)
    /// The far side has pressed a key. CallKit has no word for it: it is for the log.
    case key(String)
    case ended(SIPEnd)
}
