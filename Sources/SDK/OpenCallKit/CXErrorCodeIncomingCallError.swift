// CXErrorCodeIncomingCallError: why an incoming call must not go on.

/// The domain of ``CXErrorCodeIncomingCallError``.
public let CXErrorDomainIncomingCall = "com.apple.CallKit.error.incomingcall"

/// Why the system does not want an incoming call that was reported (CallKit: CXErrorCodeIncomingCallError).
public struct CXErrorCodeIncomingCallError: CXErrorType {
    /// The codes of ``CXErrorCodeIncomingCallError``, with CallKit's raw values.
    public enum Code: Int, CXErrorTypeCode {
        /// The error that has such a code.
        public typealias Failure = CXErrorCodeIncomingCallError

        /// None of the others; `busName` tells what it was.
        case unknown = 0
        /// The bus does not let this process be a provider.
        case unentitled = 1
        /// The UUID was used before, by whomever and even if that call is long over.
        case callUUIDAlreadyExists = 2
        /// The user does not want to be disturbed.
        case filteredByDoNotDisturb = 3
        /// The caller is blocked.
        case filteredByBlockList = 4
        /// Whoever screens calls does not let any ring while the screen is shared.
        case filteredDuringRestrictedSharingMode = 5
        /// There is an emergency call, and nothing may ring beside it.
        case callIsProtected = 6
        /// Whoever screens calls does not let this one ring because of who takes part.
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

    public let code: Code
    public let message: String
    public let busName: String

    public init(_ code: Code, message: String, busName: String) {
        self.code = code
        self.message = message
        self.busName = busName
    }
}
