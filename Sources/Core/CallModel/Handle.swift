// How a person is reached: CXHandle as a plain value.

/// The kinds of handle that CallKit knows (CXHandle.HandleType), by their names on the bus.
public enum HandleType: String, Sendable, Hashable, CaseIterable {
    case generic
    case phoneNumber = "phone-number"
    case emailAddress = "email-address"
}

/// A typed address of the other party.
public struct Handle: Sendable, Hashable {
    public let type: HandleType
    public let value: String

    /// The numbers that reach the emergency services in every mobile network (3GPP TS 22.101, 10.1.1).
    public static let wellKnownEmergencyNumbers = ["112", "911"]

    /// A phone number as it is dialed, however it is written; any other handle as it is.
    public var asDialed: Handle {
        guard type == .phoneNumber, let number = try? PhoneNumberText(value) else { return self }
        return (try? Handle(type: type, value: number.digits)) ?? self
    }

    /// Whether it is one of these phone numbers, however it is written.
    public func isAmong(_ numbers: [String]) -> Bool {
        type == .phoneNumber && !numbers.isEmpty && (numbers.contains(value) || numbers.contains(asDialed.value))
    }

    /// The longest value that is accepted, in characters.
    public static let maximumLength = 256

    /// - Parameter value: of a phone number, invisible characters are left out.
    /// - Throws: `InvalidArguments` if `value` is empty, longer than 256 characters, or has control or
    ///   bidirectional-override characters.
    public init(type: HandleType, value: String) throws(CallError) {
        let value = type == .phoneNumber ? value.withoutInvisibles : value
        guard !value.isEmpty else {
            throw CallError(
                .invalidArguments, "the handle is empty, expected 1 to \(Self.maximumLength) characters")
        }
        guard value.count <= Self.maximumLength else {
            throw CallError(
                .invalidArguments,
                "the handle has \(value.count) characters, expected at most \(Self.maximumLength)")
        }
        guard !value.unicodeScalars.contains(where: \.isUnsafeInText) else {
            throw CallError(
                .invalidArguments, "the handle has control or bidirectional-override characters, expected none")
        }
        self.type = type
        self.value = value
    }
}

extension String {
    /// This text without invisible characters.
    public var withoutInvisibles: String {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isInvisible }))
    }
}

extension Handle: CustomStringConvertible {
    public var description: String { "\(type.rawValue):\(value)" }
}
