// CXError: errors that concern no call, request or directory.

/// The domain of ``CXError``.
public let CXErrorDomain = "com.apple.CallKit.error"

/// Errors that concern no call, request or directory (CallKit: CXError).
public struct CXError: CXErrorType {
    /// The codes of ``CXError``, with CallKit's raw values.
    public enum Code: Int, CXErrorTypeCode {
        /// Another error.
        case unknownError = 0
        /// The bus does not allow this process to do that.
        case unentitled = 1
        /// An argument is invalid; the message names it and what was expected.
        case invalidArgument = 2
        /// On iOS, the app lacks the background mode for calls. This system does not need one.
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

    public let details: CXErrorDetails<Code>
    public init(_ details: CXErrorDetails<Code>) { self.details = details }
}
