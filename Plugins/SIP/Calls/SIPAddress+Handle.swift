// Whom the network names, as the system knows people.

public import OpenCallKit

extension SIPAddress {
    private static let anonymousUsers: Set = ["anonymous", "restricted", "unavailable", "unknown", "withheld"]

    /// The handle for a SIP or `tel` URI that the network sent; nil if the party is withheld, or if the text is no such URI.
    public static func handle(for uri: String) -> CXHandle? {
        if uri.lowercased().hasPrefix("tel:") {
            guard uri.utf8.count <= maximumLength else { return nil }
            return SIPUser.number(uri.dropFirst(4).prefix { $0 != ";" }).map { CXHandle(type: .phoneNumber, value: $0) }
        }
        return SIPAddress(uri: uri)?.handle
    }

    /// Nil if the party is withheld.
    var handle: CXHandle? {
        // Parameters of a number stand in the user part: `+46701234567;npdi`.
        guard let name = SIPUser.name(of: user) else { return nil }
        if Self.anonymousUsers.contains(name.lowercased()) || host.name == "anonymous.invalid" { return nil }
        if let number = SIPUser.number(name.prefix { $0 != ";" }), isPhone || isNumber(name) {
            return CXHandle(type: .phoneNumber, value: number)
        }
        let text = SIPAddress(user: user, host: host, isSecure: isSecure).text
        return CXHandle(type: .generic, value: text)
    }

    private func isNumber(_ name: String) -> Bool {
        let digits = name.hasPrefix("+") ? name.dropFirst() : name[...]
        return !digits.isEmpty && digits.allSatisfy { $0.isASCIIDigit }
    }
}

/// The name that a party gives itself.
public enum SIPName {
    public static let maximumLength = 256

    /// The name for people to read: without quotes, control characters and spaces at its ends. Nil if nothing is left, and
    /// for a party that is withheld.
    public static func shown(_ name: String, withheld: Bool = false) -> String? {
        if withheld { return nil }
        let letters = name.unicodeScalars.filter { scalar in
            !(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || isDirection(scalar))
        }
        let text = String(String.UnicodeScalarView(letters)).trimmed
        return text.isEmpty ? nil : String(text.prefix(maximumLength))
    }

    /// Whether it turns the direction of writing for what follows.
    private static func isDirection(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            || scalar.value == 0x200E || scalar.value == 0x200F
    }
}
