// AccountID: the identity of an account.

/// A UUID in small letters, as in RFC 4122. It never changes and is never used again.
public struct AccountID: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    /// - Returns: nil unless the text is 32 small hexadecimal digits in five groups with hyphens between them.
    public init?(rawValue: String) {
        let groups = rawValue.split(separator: "-", omittingEmptySubsequences: false)
        let digits = "0123456789abcdef".utf8
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], groups.allSatisfy({ $0.utf8.allSatisfy(digits.contains) })
        else { return nil }
        self.rawValue = rawValue
    }

    /// Returns a new identity.
    public static func random(using generator: inout some RandomNumberGenerator) -> AccountID {
        let text = CallID.random(using: &generator).description.lowercased()
        guard let id = AccountID(rawValue: text) else { return random(using: &generator) }
        return id
    }

    /// Its name in object paths, which have no hyphens.
    public var pathElement: String { String(rawValue.map { $0 == "-" ? "_" : $0 }) }
}
