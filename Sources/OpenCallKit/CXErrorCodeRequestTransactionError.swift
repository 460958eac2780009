// CXErrorCodeRequestTransactionError: why a request was refused.

public let CXErrorDomainRequestTransaction = "com.apple.CallKit.error.requesttransaction"

/// Why the system refuses a transaction.
public struct CXErrorCodeRequestTransactionError: CXErrorType {
    public enum Code: Int, CXErrorTypeCode {
        public typealias Failure = CXErrorCodeRequestTransactionError

        case unknown = 0
        case unentitled = 1
        case unknownCallProvider = 2
        case emptyTransaction = 3
        case unknownCallUUID = 4
        case callUUIDAlreadyExists = 5
        case invalidAction = 6
        case maximumCallGroupsReached = 7
        case callIsProtected = 8
    }

    public static var errorDomain: String { CXErrorDomainRequestTransaction }
    public static let unknown = Code.unknown
    public static let unentitled = Code.unentitled
    public static let unknownCallProvider = Code.unknownCallProvider
    public static let emptyTransaction = Code.emptyTransaction
    public static let unknownCallUUID = Code.unknownCallUUID
    public static let callUUIDAlreadyExists = Code.callUUIDAlreadyExists
    public static let invalidAction = Code.invalidAction
    public static let maximumCallGroupsReached = Code.maximumCallGroupsReached
    public static let callIsProtected = Code.callIsProtected

    public let code: Code
    public let message: String
    public let busName: String

    public init(_ code: Code, message: String, busName: String) {
        self.code = code
        self.message = message
        self.busName = busName
    }
}
