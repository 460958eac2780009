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
        guard !value.isEmpty else { throw CallError(.invalidArguments, "the handle is empty") }
        guard value.count <= Self.maximumLength else {
            throw CallError(.invalidArguments, "the handle has \(value.count) characters, at most 256 are accepted")
        }
        guard !value.unicodeScalars.contains(where: \.isUnsafeInText) else {
            throw CallError(.invalidArguments, "the handle has control or bidirectional-override characters")
        }
        self.type = type
        self.value = value
    }

    /// Reads `tel:…` (phone number), `mailto:…` (e-mail address), `type:value` with a type's name, or anything else
    /// (generic, kept whole), which is how StartCall names whom to call.
    public init(parsing text: String) throws(CallError) {
        guard let colon = text.firstIndex(of: ":") else {
            try self.init(type: .generic, value: text)
            return
        }
        let scheme = text[..<colon]
        let rest = String(text[text.index(after: colon)...])
        switch scheme.lowercased() {
        case "tel": try self.init(type: .phoneNumber, value: rest)
        case "mailto": try self.init(type: .emailAddress, value: rest)
        case let name:
            if let type = HandleType(rawValue: name) {
                try self.init(type: type, value: rest)
            } else {
                try self.init(type: .generic, value: text)
            }
        }
    }
}

extension Handle: CustomStringConvertible {
    public var description: String { "\(type.rawValue):\(value)" }
}
