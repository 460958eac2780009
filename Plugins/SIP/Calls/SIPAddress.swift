// SIPAddress: whom a SIP URI names.

public import OpenCallKit

/// Why somebody cannot be called.
public struct InvalidSIPAddress: Error, Hashable, Sendable {
    /// One sentence for people, without the address.
    public let text: String
}

/// The address of a party, made of what a user typed or of a URI that the network sent. Only the parts of a URI that name
/// somebody are kept: no password, no headers, no parameter that changes the way of a request.
public struct SIPAddress: Hashable, Sendable {
    public static let maximumLength = 256

    public let isSecure: Bool
    /// With its escapes; empty in a URI such as `sip:example.org`.
    public let user: String
    public let host: SIPServer
    /// Whether the user part is a phone number (`user=phone`).
    public let isPhone: Bool
    /// `udp`, `tcp` or `tls`; nil means that the host decides.
    public let transport: String?

    init(user: String, host: SIPServer, isSecure: Bool = false, isPhone: Bool = false, transport: String? = nil) {
        (self.user, self.host, self.isSecure) = (user, host, isSecure)
        (self.isPhone, self.transport) = (isPhone, transport)
    }

    /// The URI: `sip:+46701234567@example.org;user=phone`.
    public var text: String {
        let way = transport.map { ";transport=\($0)" } ?? ""
        let at = user.isEmpty ? "" : "@"
        return "\(isSecure ? "sips" : "sip"):\(user)\(at)\(host.text)\(isPhone ? ";user=phone" : "")\(way)"
    }

    /// Reads a SIP URI. Nil for anything else, and for one that is longer than 256 bytes.
    public init?(uri text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumLength, !text.hasControls, let colon = text.firstIndex(of: ":") else {
            return nil
        }
        let scheme = text[..<colon].lowercased()
        guard scheme == "sip" || scheme == "sips" else { return nil }
        let rest = Substring(text[text.index(after: colon)...])
        let at = rest.lastIndex(of: "@")
        let place = rest[(at.map(rest.index(after:)) ?? rest.startIndex)...]
        // A user part may have `;` and `?`; behind the host they begin parameters and headers.
        let parts = place.prefix { $0 != "?" }.split(separator: ";", omittingEmptySubsequences: false)
        guard let host = parts.first.flatMap({ SIPServer($0) }) else { return nil }
        var user = ""
        if let at {
            // A password is dropped: it belongs to nobody's address.
            guard let escaped = SIPUser.escaped(rest[..<at].prefix { $0 != ":" }) else { return nil }
            user = escaped
        }
        let words = Set(parts.dropFirst().map { $0.lowercased() })
        self.init(
            user: user, host: host, isSecure: scheme == "sips", isPhone: words.contains("user=phone"),
            transport: ["udp", "tcp", "tls"].first { words.contains("transport=\($0)") })
    }

    /// The address of whom a user wants to call: a phone number, a name such as `bob` of the account's domain,
    /// `bob@example.org`, or a URI with the scheme `sip`, `sips` or `tel`.
    /// - Parameter domain: the account's; nil without a valid one.
    public init(dialing handle: CXHandle, domain: SIPServer?) throws(InvalidSIPAddress) {
        let text = handle.value.trimmed
        guard let domain, !text.isEmpty, text.utf8.count <= Self.maximumLength, !text.hasControls else {
            throw InvalidSIPAddress(text: "This is no address that can be called")
        }
        let lower = text.lowercased()
        if lower.hasPrefix("tel:") {
            try self.init(number: text.dropFirst(4).prefix { $0 != ";" }, domain: domain)
        } else if lower.hasPrefix("sip:") || lower.hasPrefix("sips:") {
            guard let address = Self(uri: text), !address.user.isEmpty else {
                throw InvalidSIPAddress(text: "The SIP address is not valid")
            }
            self = address
        } else if handle.type == .phoneNumber || SIPUser.number(text) != nil {
            try self.init(number: text, domain: domain)
        } else if let at = text.lastIndex(of: "@") {
            guard let host = SIPServer(text[text.index(after: at)...]), let user = SIPUser.escaped(text[..<at]) else {
                throw InvalidSIPAddress(text: "The address is not of the form name@example.org")
            }
            self.init(user: user, host: host)
        } else {
            guard !text.contains(":"), let user = SIPUser.escaped(text) else {
                throw InvalidSIPAddress(text: "This is no address that can be called over SIP")
            }
            self.init(user: user, host: domain)
        }
    }

    private init(number text: some StringProtocol, domain: SIPServer) throws(InvalidSIPAddress) {
        guard let number = SIPUser.number(text), let user = SIPUser.escaped(number) else {
            throw InvalidSIPAddress(text: "The phone number is not valid")
        }
        // Only a number that is valid everywhere is one for the network (RFC 3966); others are the server's own.
        self.init(user: user, host: domain, isPhone: number.hasPrefix("+"))
    }
}

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
