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

/// Who calls, as the system is told.
public struct SIPCallerDetails: Hashable, Sendable {
    /// Nil for a caller that is withheld.
    public var handle: CXHandle?
    public var name: String?
    public var divertedBy: CXHandle?
    public var verification: CXCallUpdate.Verification?

    init(_ caller: SIPCaller) {
        let claimed = SIPAddress.handle(for: caller.uri)
        // What the network vouches for counts; but who asked to be withheld stays so.
        handle = claimed.map { SIPAddress.handle(for: caller.asserted) ?? $0 }
        name = SIPName.shown(caller.name, withheld: claimed == nil)
        divertedBy = SIPAddress.handle(for: caller.divertedBy)
        verification = CXCallUpdate.Verification(rawValue: caller.verification)
    }
}
