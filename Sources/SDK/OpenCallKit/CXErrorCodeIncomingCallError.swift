// CXErrorCodeIncomingCallError: why an incoming call is refused.

/// The domain of ``CXErrorCodeIncomingCallError``.
public let CXErrorDomainIncomingCall = "com.apple.CallKit.error.incomingcall"

/// Why the system refuses a reported incoming call (CallKit: CXErrorCodeIncomingCallError).
public struct CXErrorCodeIncomingCallError: CXErrorType {
    /// The codes of ``CXErrorCodeIncomingCallError``, with CallKit's raw values.
    public enum Code: Int, CXErrorTypeCode {
        /// Another error; `busName` names it.
        case unknown = 0
        /// The bus does not allow this process to be a provider.
        case unentitled = 1
        /// The UUID has been used before, even if that call ended long ago.
        case callUUIDAlreadyExists = 2
        /// Do Not Disturb is on.
        case filteredByDoNotDisturb = 3
        /// The caller is blocked.
        case filteredByBlockList = 4
        /// A screener refuses calls while the screen is shared.
        case filteredDuringRestrictedSharingMode = 5
        /// An emergency call is in progress, and no other call may ring.
        case callIsProtected = 6
        /// A screener refuses the call because of its participants.
        case filteredBySensitiveParticipants = 7
    }

    public static var errorDomain: String { CXErrorDomainIncomingCall }
    /// Short for `Code.unknown`.
    public static let unknown = Code.unknown
    /// Short for `Code.unentitled`.
    public static let unentitled = Code.unentitled
    /// Short for `Code.callUUIDAlreadyExists`.
    public static let callUUIDAlreadyExists = Code.callUUIDAlreadyExists
    /// Short for `Code.filteredByDoNotDisturb`.
    public static let filteredByDoNotDisturb = Code.filteredByDoNotDisturb
    /// Short for `Code.filteredByBlockList`.
    public static let filteredByBlockList = Code.filteredByBlockList
    /// Short for `Code.filteredDuringRestrictedSharingMode`.
    public static let filteredDuringRestrictedSharingMode = Code.filteredDuringRestrictedSharingMode
    /// Short for `Code.callIsProtected`.
    public static let callIsProtected = Code.callIsProtected
    /// Short for `Code.filteredBySensitiveParticipants`.
    public static let filteredBySensitiveParticipants = Code.filteredBySensitiveParticipants

    public let details: CXErrorDetails<Code>
    public init(_ details: CXErrorDetails<Code>) { self.details = details }
}
