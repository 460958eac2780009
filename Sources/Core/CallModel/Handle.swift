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

    /// The longest value that is accepted, in characters.
    public static let maximumLength = 256

    /// - Throws: `InvalidArguments` if `value` is empty, longer than 256 characters, or has control or
    ///   bidirectional-override characters.
    public init(type: HandleType, value: String) throws(CallError) {
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

extension Handle: CustomStringConvertible {
    public var description: String { "\(type.rawValue):\(value)" }
}
