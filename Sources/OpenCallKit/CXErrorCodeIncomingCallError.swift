// CXErrorCodeIncomingCallError: why an incoming call must not go on.

public let CXErrorDomainIncomingCall = "com.apple.CallKit.error.incomingcall"

/// Why the system does not want an incoming call that was reported.
public struct CXErrorCodeIncomingCallError: CXErrorType {
    public enum Code: Int, CXErrorTypeCode {
        public typealias Failure = CXErrorCodeIncomingCallError

        case unknown = 0
        case unentitled = 1
        case callUUIDAlreadyExists = 2
        case filteredByDoNotDisturb = 3
        case filteredByBlockList = 4
        case filteredDuringRestrictedSharingMode = 5
        case callIsProtected = 6
        case filteredBySensitiveParticipants = 7
    }

    public static var errorDomain: String { CXErrorDomainIncomingCall }
    public static let unknown = Code.unknown
    public static let unentitled = Code.unentitled
    public static let callUUIDAlreadyExists = Code.callUUIDAlreadyExists
    public static let filteredByDoNotDisturb = Code.filteredByDoNotDisturb
    public static let filteredByBlockList = Code.filteredByBlockList
    public static let filteredDuringRestrictedSharingMode = Code.filteredDuringRestrictedSharingMode
    public static let callIsProtected = Code.callIsProtected
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
