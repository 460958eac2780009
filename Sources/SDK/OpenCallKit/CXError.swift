// CXError: failures that have to do with neither an incoming call nor a request.

/// The domain of ``CXError``.
public let CXErrorDomain = "com.apple.CallKit.error"

/// Failures that have to do with no call, request or directory (CallKit: CXError).
public struct CXError: CXErrorType {
    /// The codes of ``CXError``, with CallKit's raw values.
    public enum Code: Int, CXErrorTypeCode {
        /// The error that has such a code.
        public typealias Failure = CXError

        /// None of the others.
        case unknownError = 0
        /// The bus does not let this process do that.
        case unentitled = 1
        /// An argument is not what it may be; the message says which and what was expected.
        case invalidArgument = 2
        /// On telephones, an app without the background mode for calls. Nothing here needs one.
        case missingVoIPBackgroundMode = 3
    }

    public static var errorDomain: String { CXErrorDomain }
    /// Short for `Code.unknownError`.
    public static let unknownError = Code.unknownError
    /// Short for `Code.unentitled`.
    public static let unentitled = Code.unentitled
    /// Short for `Code.invalidArgument`.
    public static let invalidArgument = Code.invalidArgument
    /// Short for `Code.missingVoIPBackgroundMode`.
    public static let missingVoIPBackgroundMode = Code.missingVoIPBackgroundMode

    public let code: Code
    public let message: String
    public let busName: String

    public init(_ code: Code, message: String, busName: String) {
        self.code = code
        self.message = message
        self.busName = busName
    }
}
