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
    /// Of a URI that the network sent: its parameters may be long.
    static let maximumURILength = 1_024

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

    /// Reads a SIP URI. Nil for anything else, and for one that is longer than 1024 bytes.
    public init?(uri text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumURILength, !text.hasControls, let colon = text.firstIndex(of: ":") else {
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
            try self.init(number: SIPTelephone(uri: text)?.number ?? "", domain: domain)
        } else if lower.hasPrefix("sip:") || lower.hasPrefix("sips:") {
            guard let address = Self(uri: text), !address.user.isEmpty else {
                throw InvalidSIPAddress(text: "The SIP address is not valid")
            }
            self.init(
                user: SIPUser.withoutSeparators(address.user, isPhone: address.isPhone), host: address.host,
                isSecure: address.isSecure, isPhone: address.isPhone, transport: address.transport)
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
    /// - Parameters:
    ///   - home: of the account; nil leaves addresses as they are.
    ///   - isTrusted: whether the account's server has sent it.
    public static func handle(for uri: String, home: SIPHome? = nil, isTrusted: Bool = false) -> CXHandle? {
        if uri.prefix(4).lowercased() == "tel:" {
            return SIPTelephone(uri: uri).map { CXHandle(type: .phoneNumber, value: $0.number) }
        }
        guard let address = SIPAddress(uri: uri) else { return nil }
        return (home?.address(of: address, isTrusted: isTrusted) ?? address).handle
    }

    /// Whether a URI names nobody on purpose.
    static func isWithheld(_ uri: String) -> Bool { SIPAddress(uri: uri)?.isWithheld ?? false }

    private var isWithheld: Bool {
        // Parameters of a user part say nothing of who it is.
        let name = SIPUser.name(of: user.prefix { $0 != ";" })?.lowercased() ?? ""
        return Self.anonymousUsers.contains(name) || host.name == "anonymous.invalid"
    }

    /// Nil if the party is withheld.
    var handle: CXHandle? {
        guard let name = SIPUser.name(of: user), !isWithheld else { return nil }
        if let telephone = SIPTelephone(user), isPhone || SIPUser.isWrittenAsNumber(name.prefix { $0 != ";" }) {
            return CXHandle(type: .phoneNumber, value: telephone.number)
        }
        // What the network found out is told apart from who it is.
        let parts = user.split(separator: ";", omittingEmptySubsequences: false)
        let own = parts.filter { !$0.lowercased().hasPrefix("verstat=") }.joined(separator: ";")
        let text = SIPAddress(user: own, host: host, isSecure: isSecure).text
        return text.utf8.count <= Self.maximumLength ? CXHandle(type: .generic, value: text) : nil
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
