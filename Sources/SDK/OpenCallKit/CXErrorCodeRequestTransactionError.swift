// CXErrorCodeRequestTransactionError: why a request was refused.

/// The domain of ``CXErrorCodeRequestTransactionError``.
public let CXErrorDomainRequestTransaction = "com.apple.CallKit.error.requesttransaction"

/// Why the system refuses a transaction (CallKit: CXErrorCodeRequestTransactionError).
public struct CXErrorCodeRequestTransactionError: CXErrorType {
    /// The codes of ``CXErrorCodeRequestTransactionError``, with CallKit's raw values.
    public enum Code: Int, CXErrorTypeCode {
        /// Another error, such as a refusal by the provider; `busName` names it.
        case unknown = 0
        /// The bus does not allow this process to request transactions.
        case unentitled = 1
        /// No provider takes handles of that type, or the named provider does not exist.
        case unknownCallProvider = 2
        /// The transaction has no actions.
        case emptyTransaction = 3
        /// The call does not exist, or has ended.
        case unknownCallUUID = 4
        /// The UUID of a new call has been used before.
        case callUUIDAlreadyExists = 5
        /// The call's state or capabilities do not permit it, or a call is in the way; `busName` says which.
        case invalidAction = 6
        /// The provider has its maximum number of call groups, or the group or the machine is full.
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

    public let details: CXErrorDetails<Code>
    public init(_ details: CXErrorDetails<Code>) { self.details = details }
}
