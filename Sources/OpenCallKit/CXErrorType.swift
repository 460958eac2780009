// CXErrorType: what CallKit's error types have in common.

/// An error with a domain and a code, as CallKit's are. Not in CallKit.
public protocol CXErrorType: Error, Hashable, Sendable, CustomStringConvertible {
    associatedtype Code: CXErrorTypeCode where Code.Failure == Self

    static var errorDomain: String { get }
    var code: Code { get }
    /// What the system says about it: what was wrong, what was expected, which object it concerns. For people.
    var message: String { get }

    init(_ code: Code, message: String)
}

extension CXErrorType {
    public init(_ code: Code) { self.init(code, message: "") }

    public var errorCode: Int { code.rawValue }

    public var description: String {
        message.isEmpty ? "\(Self.errorDomain) \(code)" : "\(Self.errorDomain) \(code): \(message)"
    }
}

/// A code of such an error. Not in CallKit.
public protocol CXErrorTypeCode: RawRepresentable<Int>, Hashable, Sendable {
    associatedtype Failure: CXErrorType where Failure.Code == Self
}

extension CXErrorTypeCode {
    /// Lets `catch CXErrorCodeIncomingCallError.filteredByBlockList` compare codes.
    public static func ~= (code: Self, error: any Error) -> Bool {
        (error as? Failure)?.code == code
    }
}
