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

    /// A phone number as it is dialed, however it is written, and without what is dialed after it; any other handle as it
    /// is. A `tel:` URI is a phone number, whatever its type.
    public var asDialed: Handle {
        switch type {
        case .phoneNumber: (try? DialString.number(in: value))?.handle ?? self
        case .generic where value.prefix(7).contains(":"): (try? DialString.number(in: value))?.handle ?? self
        case .generic, .emailAddress: self
        }
    }

    /// Whether it is one of these phone numbers, however it is written. What is dialed after the number does not matter
    /// (`112,5`), nor does a `#` at its end (`112#`), which some desk phones want.
    public func isAmong(_ numbers: [String]) -> Bool {
        guard !numbers.isEmpty else { return false }
        let dialed = asDialed
        return dialed.type == .phoneNumber
            && (numbers.contains(value) || numbers.contains(dialed.value)
                || numbers.contains(dialed.withoutFinalHash.value))
    }

    /// The number that is dialed without the `#` at its end; a handle that has none as it is.
    public var withoutFinalHash: Handle {
        let dialed = asDialed
        guard dialed.type == .phoneNumber, dialed.value.count > 1, dialed.value.last == "#" else { return self }
        return (try? Handle(type: .phoneNumber, value: String(dialed.value.dropLast()))) ?? self
    }

    /// Whether it is what a network obeys instead of calling it (3GPP TS 22.030, 6.5.2 and 6.5.3.2): what ends with `#`, such
    /// as `*21*0701740605#` and `100#`, and what begins with a code, such as `*400#1234`. One or two digits alone are a number
    /// here: the standard lets a network obey them as well, but they may be an emergency number or an extension.
    public var isServiceCode: Bool {
        let number = asDialed
        guard number.type == .phoneNumber, let first = number.value.first, number.value.isDialable else { return false }
        return number.value.last == "#" || (first == "*" || first == "#") && number.value.dropFirst().contains("#")
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

extension CallError {
    /// The refusal of a service code that is to be called.
    public static let serviceCode = CallError(
        .invalidArguments,
        "this is a service code, which a network obeys, and no number to call; callctl ussd sends it")
}

extension String {
    /// Whether it has nothing but digits and the signs of a keypad.
    fileprivate var isDialable: Bool { allSatisfy { "0123456789*#+".contains($0) } }

    /// This text without invisible characters.
    public var withoutInvisibles: String {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isInvisible }))
    }
}

extension Handle: CustomStringConvertible {
    public var description: String { "\(type.rawValue):\(value)" }
}
