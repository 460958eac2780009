// DialString: whom to call, as people, browsers and networks write it.

/// Whom to call, read from what a person typed, a browser passed on, or a network wrote.
///
/// What looks like a number is a phone number, so `112` reaches the emergency services. A name such as `Carla` is refused.
public struct DialString: Sendable, Hashable {
    public let handle: Handle
    /// The digits to send as DTMF after the call has connected, for example those of an extension, with a comma for
    /// each pause, and a semicolon where the user says when to go on; empty for none.
    public private(set) var postDial = ""
    /// Whether the far side is not to see the number of this side; nil = as the network does it for others.
    public private(set) var hidesNumber: Bool?
    /// The scheme of the URI in lower case, `tel` for `callto:`; empty if no URI was given.
    public private(set) var scheme = ""

    init(_ handle: Handle) { self.handle = handle }

    /// The schemes whose URIs need no provider that declares them: what they name is a handle of a known type.
    public static let knownSchemes = ["tel", "callto", "mailto", "sip", "sips"]

    /// Whether `text` is a URI scheme in lower case (RFC 3986, 3.1) of at least two characters: `C:` is a drive.
    public static func isScheme(_ text: String) -> Bool {
        (2...64).contains(text.utf8.count) && text.first.map { ("a"..."z").contains($0) } == true
            && text.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || "+-.".contains($0) }
    }

    /// Whether a text begins with a URI scheme.
    public static func hasScheme(_ text: String) -> Bool { parts(of: text) != nil }

    /// Reads a number, an e-mail address, a URI, or `type:value` with the name of a handle's type.
    ///
    /// - `tel:` and `callto:` are phone numbers (RFC 3966), `mailto:` e-mail addresses (RFC 6068). Their percent-encoding
    ///   is decoded.
    /// - `sip:` and `sips:` become generic handles, without the headers that a link may carry (RFC 3261, 19.1.5).
    /// - Every other URI is a generic handle as it is, for a provider that declares its scheme.
    /// - The value behind `phone-number:`, `email-address:` or `generic:` is taken as `init(typed:)` does.
    ///
    /// - Throws: `InvalidArguments` if the text has none of these forms, if there is a letter within a number, or if the
    ///   value is empty, too long, or has control characters.
    public init(parsing text: String) throws(CallError) {
        let text = text.withoutSurroundingSpaces
        guard let (scheme, rest) = Self.parts(of: text) else {
            if text.isAddress {
                self.init(try Handle(type: .emailAddress, value: text))
            } else {
                try self.init(number: text, of: text)
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
                try self.init(typed: try Handle(type: type, value: rest))
            } else {
                guard !rest.isEmpty, !text.hasSpace else { throw Self.invalid(text) }
                self.init(try Handle(type: .generic, value: text))
            }
        }
        if HandleType(rawValue: scheme) == nil { self.scheme = scheme == "callto" ? "tel" : scheme }
    }

    /// Reads a handle whose type is known, as programs give it. It is taken as it is written, but for a phone number that
    /// has more than digits and their formatting: what follows it, what hides the own number, letters and a trunk zero are
    /// no part of what is dialed.
    ///
    /// - Throws: `InvalidArguments` if the text of a phone number is no number or has a letter in it, or if what follows the
    ///   number cannot be dialed.
    public init(typed handle: Handle) throws(CallError) {
        guard handle.type == .phoneNumber else {
            self.init(handle)
            return
        }
        guard let read = try Self.number(in: handle.value) else {
            throw CallError(.invalidArguments, "this is no phone number, expected one such as +46 70 123 45 67")
        }
        let digits = handle.value.filter { !" -()./\u{A0}".contains($0) }
        self.init(read.handle.value == digits ? handle : read.handle)
        (postDial, hidesNumber) = (read.postDial, read.hidesNumber)
    }

    /// Returns the number in a text, with or without the scheme of one; nil for text that is no number.
    ///
    /// - Throws: as `init(typed:)`.
    static func number(in text: String) throws(CallError) -> DialString? {
        if let (scheme, rest) = parts(of: text) {
            return scheme == "tel" || scheme == "callto" ? try telephone(rest, of: text) : nil
        }
        return try telephone(text, of: text, isURI: false)
    }

    private init(number written: String, of text: String) throws(CallError) {
        guard let read = try Self.telephone(written, of: text, isURI: false) else { throw Self.invalid(text) }
        self = read
    }

    private init(_ number: PhoneNumberText) throws(CallError) {
        self.init(try Handle(type: .phoneNumber, value: number.digits))
        (postDial, hidesNumber) = (number.postDial, number.hidesNumber)
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
        if let read = try Self.telephone(rest, of: text) {
            self = read
            return
        }
        let written = try rest.withoutSlashesAndQuery.percentDecoded(of: text)
        guard written.isAddress else { throw Self.invalid(text) }
        self.init(try Handle(type: .emailAddress, value: written))
    }

    /// Reads a number and the parameters of RFC 3966 behind it. Phones write what waits for the user behind a semicolon, too.
    ///
    /// - Parameter isURI: whether it may be percent-encoded.
    /// - Returns: nil for text that is no number.
    private static func telephone(
        _ written: String, of text: String, isURI: Bool = true
    ) throws(CallError) -> DialString? {
        let parts = try (isURI ? written.withoutSlashesAndQuery : written)
            .split(separator: ";", omittingEmptySubsequences: false)
            .map { (part) throws(CallError) in isURI ? try String(part).percentDecoded(of: text) : String(part) }
        guard let first = parts.first, var number = try PhoneNumberText(first) else { return nil }
        var parameters: [String: String] = [:]
        var waiting: [String] = []
        for parameter in parts.dropFirst() {
            let halves = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            if halves.count == 2 {
                parameters[halves[0].lowercased()] = halves[1]
            } else if PhoneNumberText.isDialed(parameter) {
                waiting.append(parameter)
            } else if !isURI {
                throw invalid(text)
            }
        }
        // A context that is a domain says whose number it is, and is not dialed. Nor is that of a service number such as
        // 112, which has no country code.
        if let context = parameters["phone-context"], context.hasPrefix("+"), !number.digits.hasPrefix("+"),
            number.digits.count > 3
        {
            guard let prefix = try PhoneNumberText(context) else { throw invalid(text) }
            number.digits = prefix.digits + number.digits
        }
        if let digits = parameters["ext"] ?? parameters["postd"] {
            // The digits of `postd` begin with their pause (RFC 2806).
            let pause = digits.first.map { "pP,wW".contains($0) } ?? false
            try number.addDigits(
                pause ? String(digits.dropFirst()) : digits,
                after: pause && "wW".contains(digits.prefix(1)) ? ";" : ",",
                of: text)
        }
        for digits in waiting { try number.addDigits(digits, after: ";", of: text) }
        return try DialString(number)
    }

    private init(mail rest: String, of text: String) throws(CallError) {
        let address = try rest.prefix { $0 != "?" }.description.percentDecoded(of: text).withoutSurroundingSpaces
        guard address.isAddress else { throw Self.invalid(text) }
        self.init(try Handle(type: .emailAddress, value: address))
    }

    private init(scheme: String, sip rest: String, of text: String) throws(CallError) {
        let address = rest.withoutSlashesAndQuery
        let host = address.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let isValid =
            host.first.map { $0.isLetter || $0.isNumber || $0 == "[" } == true && !address.hasPrefix("@")
            && !address.hasSpace
        guard isValid else { throw Self.invalid(text) }
        self.init(try Handle(type: .generic, value: "\(scheme):\(address)"))
    }

    // MARK: Errors

    static func invalid(_ text: String) -> CallError {
        guard !text.isEmpty else {
            return CallError(.invalidArguments, "whom to call is missing, expected \(expected)")
        }
        let hasUnseen = text.unicodeScalars.contains(where: \.isUnsafeInText)
        let unseen = hasUnseen ? ", it has a character that cannot be seen, such as a line break" : ""
        return CallError(
            .invalidArguments, "\"\(text.excerpt)\" cannot be called\(unseen), expected \(expected)")
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

    /// The part of a URI before its headers, and without the `//` that telephone and SIP URIs do not have, and which
    /// browsers add with a slash at the end.
    fileprivate var withoutSlashesAndQuery: String {
        let body = hasPrefix("//") ? dropFirst(2).prefix { $0 != "/" } : self[...]
        return String(body.prefix { $0 != "?" })
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
