// CXErrorType: what CallKit's error types have in common.

internal import CallModel

/// An error with a domain and a code, as CallKit's are. Not in CallKit.
public protocol CXErrorType: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes of this domain.
    associatedtype Code: CXErrorTypeCode where Code.Failure == Self

    /// CallKit's name of the domain, such as `com.apple.CallKit.error.incomingcall`.
    static var errorDomain: String { get }
    /// Which of the domain's errors it is.
    var code: Code { get }
    /// What the system says about it: what was wrong, what was expected, which object it concerns. For people.
    var message: String { get }
    /// The error's name on the bus, such as `org.opencallkit.Error.OutgoingCallInProgress`: finer than the code, which
    /// several names may share.
    var busName: String { get }

    /// Makes an error.
    /// - Parameters:
    ///   - code: which of the domain's errors it is.
    ///   - message: for people; lower case, without a full stop.
    ///   - busName: its name on the bus.
    init(_ code: Code, message: String, busName: String)
}

extension CXErrorType {
    /// An error with nothing to say beyond its code.
    public init(_ code: Code) { self.init(code, message: "") }

    /// An error whose bus name is the code's own.
    public init(_ code: Code, message: String) { self.init(code, message: message, busName: code.busName) }

    init(_ error: CallError) {
        self.init(Code(error.code), message: error.message, busName: error.code.busName)
    }

    /// The code's raw value, CallKit's own.
    public var errorCode: Int { code.rawValue }

    /// The domain of the `NSError` that Foundation makes of it.
    public var _domain: String { Self.errorDomain }

    /// The code of the `NSError` that Foundation makes of it.
    public var _code: Int { errorCode }

    public var description: String {
        message.isEmpty ? "\(Self.errorDomain) \(code)" : "\(Self.errorDomain) \(code): \(message)"
    }
}

/// A code of such an error. Not in CallKit.
public protocol CXErrorTypeCode: RawRepresentable<Int>, Hashable, Sendable, CaseIterable {
    /// The error that has such a code.
    associatedtype Failure: CXErrorType where Failure.Code == Self

    /// The name on the bus that means this code and nothing finer.
    var busName: String { get }

    /// The code that an error on the bus means.
    /// - Parameter busName: an error's name on the bus. One that has no code in this domain gives the unknown error.
    init(busName: String)
}

extension CXErrorTypeCode {
    /// Lets `catch CXErrorCodeIncomingCallError.filteredByBlockList` compare codes.
    public static func ~= (code: Self, error: any Error) -> Bool {
        (error as? Failure)?.code == code
    }
}
