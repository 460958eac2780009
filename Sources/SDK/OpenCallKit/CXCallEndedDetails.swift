// CXCallEndedDetails: what the network says about the end of a call.

internal import CallModel

/// The network's reason for the end of a call. Not in CallKit.
public struct CXCallEndedDetails: Hashable, Sendable {
    /// A reason in one word. Not in CallKit.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The far side is busy.
        case busy
        /// The far side declined.
        case rejected
        /// The handle does not exist.
        case notFound = "not-found"
        /// The network does not allow the call.
        case forbidden
        /// There is no connection.
        case network
        /// The far side or a server is not who it claims to be.
        case certificate
        /// The two sides have no codec in common, or what was requested is not supported.
        case incompatible
    }

    /// Nil means that the network gives none.
    public var reason: Reason?
    /// The network's own code, for people who look for a fault, such as `SIP 486` or `Q.850 17`; 64 characters are kept.
    public var code: String

    /// Creates details.
    public init(reason: Reason? = nil, code: String = "") {
        self.reason = reason
        self.code = code
    }

    var model: NetworkEnd { NetworkEnd(reason.flatMap { EndDetail(rawValue: $0.rawValue) }, code: code) }
}
