// CXErrorCodeRequestTransactionError: why a request was refused.

/// The domain of ``CXErrorCodeRequestTransactionError``.
public let CXErrorDomainRequestTransaction = "com.apple.CallKit.error.requesttransaction"

/// Why the system refuses a transaction (CallKit: CXErrorCodeRequestTransactionError).
public struct CXErrorCodeRequestTransactionError: CXErrorType {
    /// The codes of ``CXErrorCodeRequestTransactionError``, with CallKit's raw values.
    public enum Code: Int, CXErrorTypeCode {
        /// The error that has such a code.
        public typealias Failure = CXErrorCodeRequestTransactionError

        /// None of the others; `busName` tells what it was, such as that the provider has refused.
        case unknown = 0
        /// The bus does not let this process request anything.
        case unentitled = 1
        /// No provider takes handles of that type, or the one that was named is not there.
        case unknownCallProvider = 2
        /// There are no actions in it.
        case emptyTransaction = 3
        /// The call is not there, or is over.
        case unknownCallUUID = 4
        /// A call that is to be started has a UUID that was used before.
        case callUUIDAlreadyExists = 5
        /// The call is in no state for it or lacks the capability, or something is in the way; `busName` tells which.
        case invalidAction = 6
        /// The provider has as many conversations as it can have, or the group or the machine is full.
        case maximumCallGroupsReached = 7
        /// An emergency call is in the way.
        case callIsProtected = 8
    }

    public static var errorDomain: String { CXErrorDomainRequestTransaction }
    /// Short for `Code.unknown`.
    public static let unknown = Code.unknown
    /// Short for `Code.unentitled`.
    public static let unentitled = Code.unentitled
    /// Short for `Code.unknownCallProvider`.
    public static let unknownCallProvider = Code.unknownCallProvider
    /// Short for `Code.emptyTransaction`.
    public static let emptyTransaction = Code.emptyTransaction
    /// Short for `Code.unknownCallUUID`.
    public static let unknownCallUUID = Code.unknownCallUUID
    /// Short for `Code.callUUIDAlreadyExists`.
    public static let callUUIDAlreadyExists = Code.callUUIDAlreadyExists
    /// Short for `Code.invalidAction`.
    public static let invalidAction = Code.invalidAction
    /// Short for `Code.maximumCallGroupsReached`.
    public static let maximumCallGroupsReached = Code.maximumCallGroupsReached
    /// Short for `Code.callIsProtected`.
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
