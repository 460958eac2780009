// CXErrorType: what CallKit's error types have in common.

internal import CallModel

/// An error with a domain and a code, as CallKit's are. Not in CallKit.
public protocol CXErrorType: Error, Hashable, Sendable, CustomStringConvertible {
    associatedtype Code: CXErrorTypeCode where Code.Failure == Self

    static var errorDomain: String { get }
    var code: Code { get }
    /// What the system says about it: what was wrong, what was expected, which object it concerns. For people.
    var message: String { get }
    /// The error's name on the bus, such as `org.opencallkit.Error.OutgoingCallInProgress`: finer than the code, which
    /// several names may share.
    var busName: String { get }

    init(_ code: Code, message: String, busName: String)
}

extension CXErrorType {
    public init(_ code: Code) { self.init(code, message: "") }

    /// The bus name is the code's own.
    public init(_ code: Code, message: String) { self.init(code, message: message, busName: code.busName) }

    init(_ error: CallError) {
        self.init(Code(error.code), message: error.message, busName: error.code.busName)
    }

    public var errorCode: Int { code.rawValue }

    public var description: String {
        message.isEmpty ? "\(Self.errorDomain) \(code)" : "\(Self.errorDomain) \(code): \(message)"
    }
}

/// A code of such an error. Not in CallKit.
public protocol CXErrorTypeCode: RawRepresentable<Int>, Hashable, Sendable, CaseIterable {
    associatedtype Failure: CXErrorType where Failure.Code == Self

    /// The name on the bus that means this code and nothing finer.
    var busName: String { get }

    /// - Parameter busName: an error's name on the bus. One that has no code in this domain gives the unknown error.
    init(busName: String)
}

extension CXErrorTypeCode {
    /// Lets `catch CXErrorCodeIncomingCallError.filteredByBlockList` compare codes.
    public static func ~= (code: Self, error: any Error) -> Bool {
        (error as? Failure)?.code == code
    }
}
