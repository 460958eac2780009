// SIPSettings: what the user says about an account.

public import OpenCallKit

/// Why an account cannot be used, as a sentence for people that names the setting.
public struct InvalidSIPSettings: Error, Hashable, Sendable {
    public let text: String
}

/// The settings of an account, checked. They have secrets: no description shows one.
public struct SIPSettings: Hashable, Sendable {
    public enum Transport: String, Hashable, Sendable, CaseIterable { case udp, tcp, tls }
    public enum Encryption: String, Hashable, Sendable, CaseIterable { case off, preferred, required, dtls }

    /// Without escapes.
    public let user: String
    public let domain: SIPServer
    public let displayName: String?
    public let authUser: String?
    public let transport: Transport
    /// A SIP URI; nil means that the domain is looked up.
    public let proxy: String?
    public let encryption: Encryption
    /// `host` or `host:port`.
    public let stunServer, turnServer: String?
    public let turnUser: String?
    /// Names with a comma between them; nil means all.
    public let codecs: String?
    public let isTraced: Bool
    /// What the user calls the account, or its address.
    public let label: String
    private let secrets: SIPSecrets

    /// Where the account's own addresses are.
    public var home: SIPHome { SIPHome(domain: domain, proxy: proxy) }
    public var password: String { secrets.password }
    public var turnPassword: String? { secrets.turnPassword }

    public static let codecNames = ["opus", "G722", "PCMA", "PCMU"]
    private static let maximumPasswordLength = 1_024

    /// - Parameter secret: returns the secret with this key.
    public init(_ settings: [String: CXValue], secret: (String) -> String?) throws(InvalidSIPSettings) {
        let texts = SIPTexts(settings)
        let name = try texts.text("user", "The user name") ?? ""
        let address = try Self.address(name, try texts.text("domain", "The domain") ?? "")
        (user, domain) = (address.user, address.domain)
        displayName = try texts.text("display-name", "The name that others see")
        authUser = try texts.text("auth-user", "The name for logging in")
        transport = try texts.word("transport", .tls)
        encryption = try texts.word("encryption", .preferred)
        proxy = try Self.proxy(try texts.text("proxy", "The server"), address.place, transport)
        stunServer = try texts.host("stun", "The STUN server")
        turnServer = try texts.host("turn", "The TURN server")
        turnUser = try texts.text("turn-user", "The user name at the TURN server")
        codecs = try Self.codecs(try texts.text("codecs", "The list of codecs"))
        isTraced = settings["trace"]?.boolValue ?? false
        label = try texts.text("label", "The label") ?? "\(user)@\(domain.name)"
        guard let password = secret("password"), !password.utf8.contains(0) else {
            throw InvalidSIPSettings(text: "The password is missing or not valid")
        }
        guard password.utf8.count <= Self.maximumPasswordLength else {
            throw InvalidSIPSettings(text: "The password has more than 1024 bytes")
        }
        secrets = SIPSecrets(password: password, turnPassword: secret("turn-password"))
    }

    /// The user name may be the whole address. A port belongs to the server, not to the address.
    private static func address(
        _ name: String, _ domain: String
    ) throws(InvalidSIPSettings) -> (user: String, domain: SIPServer, place: SIPServer) {
        var name = Substring(name)
        for scheme in ["sip:", "sips:"] where name.lowercased().hasPrefix(scheme) {
            name = name.dropFirst(scheme.count)
        }
        guard let place = SIPServer(domain) else {
            throw InvalidSIPSettings(text: "The domain is not of the form example.org")
        }
        if let at = name.lastIndex(of: "@") {
            guard SIPServer(name[name.index(after: at)...])?.name == place.name else {
                throw InvalidSIPSettings(
                    text:
                        "The user name has another domain than the account; a @ of the name itself is written %40")
            }
            name = name[..<at]
        }
        guard !name.contains(":"), let user = SIPUser.escaped(name).flatMap({ SIPUser.name(of: $0) }),
            let domain = SIPServer(place.name)
        else {
            throw InvalidSIPSettings(text: "The user name is not valid")
        }
        return (user, domain, place)
    }

    private static func proxy(
        _ text: String?, _ place: SIPServer, _ transport: Transport
    ) throws(InvalidSIPSettings) -> String? {
        guard var text else {
            return place.port == nil ? nil : "sip:\(place.text);transport=\(transport.rawValue)"
        }
        if !["sip:", "sips:"].contains(where: text.lowercased().hasPrefix) { text = "sip:" + text }
        guard let address = SIPAddress(uri: text), address.user.isEmpty else {
            throw InvalidSIPSettings(
                text: "The server is not of the form proxy.example.org or sip:proxy.example.org:5061")
        }
        let way = address.transport ?? (address.isSecure ? "tls" : transport.rawValue)
        return "sip:\(address.host.text);transport=\(way)"
    }

    private static func codecs(_ text: String?) throws(InvalidSIPSettings) -> String? {
        guard let text else { return nil }
        var names: [String] = []
        for word in text.split(whereSeparator: { ",; ".contains($0) }) {
            guard let name = codecNames.first(where: { $0.lowercased() == word.lowercased() }) else {
                throw InvalidSIPSettings(text: "A codec is not one of opus, G722, PCMA and PCMU")
            }
            if !names.contains(name) { names.append(name) }
        }
        return names.isEmpty ? nil : names.joined(separator: ",")
    }
}

/// The texts of an account, with sentences for what is wrong.
private struct SIPTexts {
    private static let maximumLength = 256
    private let settings: [String: CXValue]

    init(_ settings: [String: CXValue]) { self.settings = settings }

    /// Nil if it is missing or empty.
    func text(_ key: String, _ name: String) throws(InvalidSIPSettings) -> String? {
        guard let text = settings[key]?.stringValue?.trimmed, !text.isEmpty else { return nil }
        guard text.utf8.count <= Self.maximumLength, !text.hasControls else {
            throw InvalidSIPSettings(text: "\(name) is too long, or has characters that cannot be shown")
        }
        return text
    }

    func host(_ key: String, _ name: String) throws(InvalidSIPSettings) -> String? {
        guard let text = try text(key, name) else { return nil }
        let scheme = key + ":"
        let place = text.lowercased().hasPrefix(scheme) ? text.dropFirst(scheme.count) : text[...]
        guard let host = SIPServer(place) else {
            throw InvalidSIPSettings(text: "\(name) is not of the form \(key).example.org or \(key).example.org:3478")
        }
        return host.text
    }

    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ usual: Word
    ) throws(InvalidSIPSettings) -> Word {
        guard let text = settings[key]?.stringValue, !text.isEmpty else { return usual }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw InvalidSIPSettings(text: "The setting \(key) is not one of \(words)")
        }
        return word
    }
}

/// Secrets, which no description shows.
private struct SIPSecrets: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    let password: String
    let turnPassword: String?

    var description: String { "secrets" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
