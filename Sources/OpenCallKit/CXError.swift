// CXError: failures that have to do with neither an incoming call nor a request.

public let CXErrorDomain = "com.apple.CallKit.error"

/// CallKit's general errors.
public struct CXError: CXErrorType {
    public enum Code: Int, CXErrorTypeCode {
        public typealias Failure = CXError

        case unknownError = 0
        case unentitled = 1
        case invalidArgument = 2
        case missingVoIPBackgroundMode = 3
    }

    public static var errorDomain: String { CXErrorDomain }
    public static let unknownError = Code.unknownError
    public static let unentitled = Code.unentitled
    public static let invalidArgument = Code.invalidArgument
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
