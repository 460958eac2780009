// DialString: whom to call, as people, browsers and networks write it.

/// Whom to call, read from what a person typed, a browser passed on, or a network wrote.
///
/// What looks like a number is a phone number, so `112` reaches the emergency services. A name such as `Carla` is refused.
public struct DialString: Sendable, Hashable {
    public let handle: Handle
    /// The digits to send as DTMF after the call has connected, for example those of an extension, with a comma for
    /// each pause; empty for none.
    public let postDial: String
    /// The scheme of the URI in lower case, `tel` for `callto:`; empty if no URI was given.
    public private(set) var scheme = ""

    init(_ handle: Handle, postDial: String = "") {
        self.handle = handle
        self.postDial = postDial
    }

    /// The schemes whose URIs need no provider that declares them: what they name is a handle of a known type.
    public static let knownSchemes = ["tel", "callto", "mailto", "sip", "sips"]

    /// Whether `text` is a URI scheme in lower case (RFC 3986, 3.1) of at least two characters: `C:` is a drive.
    public static func isScheme(_ text: String) -> Bool {
        (2...64).contains(text.utf8.count) && text.first.map { ("a"..."z").contains($0) } == true
            && text.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || "+-.".contains($0) }
    }

    /// Reads a number, an e-mail address, a URI, or `type:value` with the name of a handle's type.
    ///
    /// - `tel:` and `callto:` are phone numbers (RFC 3966), `mailto:` e-mail addresses (RFC 6068). Their percent-encoding
    ///   is decoded.
    /// - `sip:` and `sips:` become generic handles, without the headers that a link may carry (RFC 3261, 19.1.5).
    /// - Every other URI is a generic handle as it is, for a provider that declares its scheme.
    /// - The value behind `phone-number:`, `email-address:` or `generic:` is taken as it is.
    ///
    /// - Throws: `InvalidArguments` if the text has none of these forms, or if the value is empty, too long, or has control
    ///   characters.
    public init(parsing text: String) throws(CallError) {
        let text = text.withoutSurroundingSpaces
        guard let (scheme, rest) = Self.parts(of: text) else {
            if text.contains(";") {
                try self.init(telephone: text, of: text)
            } else if let number = try PhoneNumberText(text) {
                try self.init(number)
            } else if text.isAddress {
                self.init(try Handle(type: .emailAddress, value: text))
            } else {
                throw Self.invalid(text)
            }
            return
        }
        switch scheme {
        case "tel", "callto": try self.init(telephone: rest, of: text)
        case "mailto": try self.init(mail: rest, of: text)
        case "sip", "sips": try self.init(scheme: scheme, sip: rest, of: text)
        default:
            if let type = HandleType(rawValue: scheme) {
                guard !rest.isEmpty else { throw Self.invalid(text) }
                self.init(try Handle(type: type, value: rest))
            } else {
                guard !rest.isEmpty, !text.hasSpace else { throw Self.invalid(text) }
                self.init(try Handle(type: .generic, value: text))
            }
        }
        if HandleType(rawValue: scheme) == nil { self.scheme = scheme == "callto" ? "tel" : scheme }
    }

    private init(_ number: PhoneNumberText) throws(CallError) {
        self.init(try Handle(type: .phoneNumber, value: number.digits), postDial: number.postDial)
        if !postDial.isEmpty { try CallAction.checkDigits(postDial) }
    }

    /// Returns the scheme in lower case and what follows the colon; nil for text that does not begin with a scheme.
    private static func parts(of text: String) -> (scheme: String, rest: String)? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon].lowercased()
        return isScheme(scheme) ? (scheme, String(text[text.index(after: colon)...])) : nil
    }

    // MARK: Schemes

    /// `tel:` and `callto:`. Browsers add slashes, and pass on what a person wrote into a page.
    private init(telephone rest: String, of text: String) throws(CallError) {
        let parts = rest.withoutSlashes.prefix { $0 != "?" }
            .split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard let written = try parts.first?.percentDecoded(of: text) else { throw Self.invalid(text) }
        var parameters: [String: String] = [:]
        for parameter in parts.dropFirst() {
            let halves = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            guard halves.count == 2 else {
                if parameter.first?.isNumber == true { throw PhoneNumberText.waits(text) }
                continue
            }
            parameters[halves[0].lowercased()] = try halves[1].percentDecoded(of: text)
        }
        guard var number = try PhoneNumberText(written) else {
            guard written.isAddress, parts.count == 1 else { throw Self.invalid(text) }
            self.init(try Handle(type: .emailAddress, value: written))
            return
        }
        // A context that is a domain says whose number it is, and is not dialed. Nor is that of a service number such as
        // 112, which has no country code.
        if let context = parameters["phone-context"], context.hasPrefix("+"), !number.digits.hasPrefix("+"),
            number.digits.count > 3
        {
            guard let prefix = try PhoneNumberText(context) else { throw Self.invalid(text) }
            number.digits = prefix.digits + number.digits
        }
        if let digits = parameters["ext"] ?? parameters["postd"] {
            try number.addExtension(digits, of: text)
        }
        try self.init(number)
    }

    private init(mail rest: String, of text: String) throws(CallError) {
        let address = try rest.prefix { $0 != "?" }.description.percentDecoded(of: text).withoutSurroundingSpaces
        guard address.isAddress else { throw Self.invalid(text) }
        self.init(try Handle(type: .emailAddress, value: address))
    }

    private init(scheme: String, sip rest: String, of text: String) throws(CallError) {
        let address = rest.withoutSlashes.prefix { $0 != "?" }.description
        let host = address.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let isValid =
            host.first.map { $0.isLetter || $0.isNumber || $0 == "[" } == true && !address.hasPrefix("@")
            && !address.hasSpace
        guard isValid else { throw Self.invalid(text) }
        self.init(try Handle(type: .generic, value: "\(scheme):\(address)"))
    }

    // MARK: Errors

    static func invalid(_ text: String) -> CallError {
        CallError(
            .invalidArguments,
            text.isEmpty
                ? "whom to call is missing, expected \(expected)"
                : "\"\(text.excerpt)\" cannot be called, expected \(expected)")
    }

    private static let expected =
        "a number such as +46 70 123 45 67, an address such as ann@example.com, or a URI such as sip:ann@example.com"
}

extension String {
    fileprivate var withoutSurroundingSpaces: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    fileprivate var hasSpace: Bool { contains(where: \.isWhitespace) }

    /// The part of a URI that follows `//`, which telephone and SIP URIs do not have, and which browsers add with a
    /// slash at the end.
    fileprivate var withoutSlashes: String {
        guard hasPrefix("//") else { return self }
        return String(dropFirst(2).prefix { $0 != "/" })
    }

    /// Whether it is an e-mail address: one @ with something before and after it.
    fileprivate var isAddress: Bool {
        let halves = split(separator: "@", omittingEmptySubsequences: false)
        return halves.count == 2 && halves.allSatisfy { !$0.isEmpty }
            && !contains { $0.isWhitespace || ":,;<>".contains($0) }
    }

    fileprivate func percentDecoded(of text: String) throws(CallError) -> String {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(Substring(digits), radix: 16), digits.first != UInt8(ascii: "+")
            else {
                throw DialString.invalid(text)
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw DialString.invalid(text) }
        return decoded
    }
}
