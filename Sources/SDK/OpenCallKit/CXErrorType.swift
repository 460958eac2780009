// CXErrorType: the common properties of CallKit's error types.

internal import CallModel

/// An error with a domain and a code, like CallKit's errors. Not in CallKit.
public protocol CXErrorType: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes of this domain.
    associatedtype Code: CXErrorTypeCode where Code.Failure == Self

    /// CallKit's name of the domain, such as `com.apple.CallKit.error.incomingcall`.
    static var errorDomain: String { get }
    /// The error's code in its domain.
    var code: Code { get }
    /// A description for people: what was wrong, what was expected, and which object it concerns.
    var message: String { get }
    /// The error's name on the bus, such as `org.opencallkit.Error.OutgoingCallInProgress`. It is more specific
    /// than the code, which several names may share.
    var busName: String { get }

    /// Creates an error.
    /// - Parameters:
    ///   - code: the error's code in its domain.
    ///   - message: for people; lower case, without a full stop.
    ///   - busName: its name on the bus.
    init(_ code: Code, message: String, busName: String)
}

extension CXErrorType {
    /// Creates an error without a message.
    public init(_ code: Code) { self.init(code, message: "") }

    /// Creates an error with the bus name of its code.
    public init(_ code: Code, message: String) { self.init(code, message: message, busName: code.busName) }

    init(_ error: CallError) {
        self.init(Code(error.code), message: error.message, busName: error.code.busName)
    }

    /// The code's raw value, CallKit's own.
    public var errorCode: Int { code.rawValue }

    /// The domain of the `NSError` that Foundation creates from this error.
    public var _domain: String { Self.errorDomain }

    /// The code of the `NSError` that Foundation creates from this error.
    public var _code: Int { errorCode }

    public var description: String {
        message.isEmpty ? "\(Self.errorDomain) \(code)" : "\(Self.errorDomain) \(code): \(message)"
    }
}

/// A code of such an error. Not in CallKit.
public protocol CXErrorTypeCode: RawRepresentable<Int>, Hashable, Sendable, CaseIterable {
    /// The error type of these codes.
    associatedtype Failure: CXErrorType where Failure.Code == Self

    /// The name on the bus that stands for exactly this code.
    var busName: String { get }

    /// Creates the code of an error on the bus.
    /// - Parameter busName: an error's name on the bus. A name without a code in this domain gives the unknown error.
    init(busName: String)
}

extension CXErrorTypeCode {
    /// Compares codes in `catch CXErrorCodeIncomingCallError.filteredByBlockList`.
    public static func ~= (code: Self, error: any Error) -> Bool {
        (error as? Failure)?.code == code
    }
}
