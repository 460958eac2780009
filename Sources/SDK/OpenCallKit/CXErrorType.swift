// CXErrorType: the common properties of CallKit's error types.

package import CallModel
package import DBus

/// An error with a domain and a code, like CallKit's errors. Not in CallKit.
public protocol CXErrorType: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes of this domain.
    associatedtype Code: CXErrorTypeCode

    /// CallKit's name of the domain, such as `com.apple.CallKit.error.incomingcall`.
    static var errorDomain: String { get }
    /// The error's code, description and name on the bus.
    var details: CXErrorDetails<Code> { get }

    /// Creates an error from its details.
    init(_ details: CXErrorDetails<Code>)
}

/// The contents of an error of a domain. Not in CallKit.
public struct CXErrorDetails<Code: CXErrorTypeCode>: Hashable, Sendable {
    let code: Code
    let message: String
    let busName: String
}

extension CXErrorType {
    /// Creates an error.
    /// - Parameters:
    ///   - code: the error's code in its domain.
    ///   - message: for people; lower case, without a full stop.
    ///   - busName: its name on the bus.
    public init(_ code: Code, message: String, busName: String) {
        self.init(CXErrorDetails(code: code, message: message, busName: busName))
    }

    /// Creates an error without a message.
    public init(_ code: Code) { self.init(code, message: "") }

    /// Creates an error with the bus name of its code.
    public init(_ code: Code, message: String) { self.init(code, message: message, busName: code.busName) }

    package init(_ error: CallError) {
        self.init(Code(busName: error.code.busName), message: error.message, busName: error.code.busName)
    }

    /// Creates an error from a reply of the bus; errors outside the contract keep their names.
    package init(_ error: DBusError) {
        self.init(Code(busName: error.name), message: error.message, busName: error.name)
    }

    /// The error's code in its domain.
    public var code: Code { details.code }

    /// A description for people: what was wrong, what was expected, and which object it concerns.
    public var message: String { details.message }

    /// The error's name on the bus, such as `org.opencallkit.Error.OutgoingCallInProgress`. It is more specific
    /// than the code, which several names may share.
    public var busName: String { details.busName }

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
    /// The name on the bus that stands for exactly this code.
    var busName: String { get }
}

extension CXErrorTypeCode {
    /// Creates the code of an error on the bus.
    /// - Parameter busName: an error's name on the bus. A name without a code in this domain gives the unknown error,
    ///   which is the first code of every domain.
    public init(busName: String) {
        let errors = ErrorCode(anyName: busName).map { [$0] + $0.broader } ?? []
        let codes = errors.compactMap { error in Self.allCases.first { $0.busName == error.busName } }
        self = codes.first ?? Self.allCases[Self.allCases.startIndex]
    }

    /// Compares codes in `catch CXErrorCodeIncomingCallError.filteredByBlockList`.
    public static func ~= (code: Self, error: any Error) -> Bool {
        (error as? any CXErrorType)?.code as? Self == code
    }
}
