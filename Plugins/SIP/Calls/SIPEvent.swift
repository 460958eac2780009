// SIPEvent: what the engine tells.

/// What went wrong, as far as no SIP response says it.
public enum SIPFailure: Hashable, Sendable {
    /// Nobody answered in time.
    case timeout
    /// There is no connection.
    case unreachable
    /// No server was found for the name.
    case nameNotFound
    /// A certificate or a fingerprint is not valid, or TLS failed.
    case certificate
    /// The two sides have nothing in common, such as a codec or encryption.
    case incompatible
    /// Any other number of the system.
    case other(Int32)
}

/// What has happened to a call.
public enum SIPCallEvent: Hashable, Sendable {
    /// It comes in.
    case incoming(SIPCaller)
    /// A provisional response; the same one again when early media begins or stops.
    case progress(code: UInt16, hasMedia: Bool)
    case connected
    case media(codec: String, encryption: String, isRemoteHeld: Bool)
    /// The far side has pressed a key: 0 to 9, `*`, `#`, A to D.
    case digit(String)
    /// - Parameters:
    ///   - code: that of the final response; 0 for none.
    ///   - failure: nil for BYE and CANCEL.
    ///   - reason: the values of Reason headers, with a comma between them.
    case ended(code: UInt16, failure: SIPFailure?, reason: String)
    /// The command with this token is done. `failure` is nil if it succeeded; `code` is the response that refused it.
    case done(token: UInt64, code: UInt16, failure: SIPFailure?)
    /// The far side asks for a transfer.
    /// - Parameter target: the value of Refer-To.
    case transferRequested(target: String)
    case replaced(SIPCaller)
    /// The far side says within the call who it is.
    case identified(SIPCaller)
    case quality(SIPQuality)
}

/// How well a call can be heard. What is not known is nil.
public struct SIPQuality: Hashable, Sendable {
    /// In milliseconds.
    public var roundTrip: Double?
    /// In milliseconds.
    public var jitter: Double?
    /// The share of packets that were lost of late, 0 to 1.
    public var loss: Double?

    public init(roundTrip: Double?, jitter: Double?, loss: Double?) {
        (self.roundTrip, self.jitter, self.loss) = (roundTrip, jitter, loss)
    }
}

/// What has happened to an account.
public enum SIPAccountEvent: Hashable, Sendable {
    case registered
    /// - Parameter code: the response's; 0 for none.
    case notRegistered(code: UInt16, failure: SIPFailure?)
    /// A whole message, with identities and secrets.
    case message(String, isSent: Bool)
    case note(String)
}
