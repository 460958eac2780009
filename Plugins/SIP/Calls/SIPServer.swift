// SIPServer: the name or address of a server, with its port.

/// A host, as settings and URIs name it: `example.org`, `192.0.2.1:5080`, `[2001:db8::1]:5061`.
public struct SIPServer: Hashable, Sendable {
    /// In small letters; an IPv6 address is in brackets.
    public let name: String
    /// 1 to 65535; nil means that it is looked up, or the usual one.
    public let port: UInt16?

    /// Nil if the text is no host. Names with other letters than those of ASCII must be in their encoded form (`xn--…`). The
    /// final dot of a whole name is left out (RFC 3261, 25.1).
    public init?(_ text: some StringProtocol) {
        var name = Substring(text.lowercased())
        var port: UInt16?
        if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]") {
            let digits = name[name.index(after: colon)...]
            guard let number = UInt16(digits), number > 0, digits.allSatisfy(\.isASCIIDigit) else { return nil }
            port = number
            name = name[..<colon]
        }
        if name.hasSuffix("."), name.utf8.count > 1 { name.removeLast() }
        guard Self.isName(name) || Self.isIPv6(name) else { return nil }
        self.name = String(name)
        self.port = port
    }

    /// Whether it is an address of a machine, and no name.
    var isNumeric: Bool {
        name.hasPrefix("[") || name.split(separator: ".").allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }
    }

    /// `example.org:5080`.
    public var text: String { port.map { "\(name):\($0)" } ?? name }

    private static func isName(_ name: Substring) -> Bool {
        guard (1...253).contains(name.utf8.count) else { return false }
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == "-" || $0 == "_" }
        }
    }

    private static func isIPv6(_ name: Substring) -> Bool {
        guard name.hasPrefix("["), name.hasSuffix("]"), (4...47).contains(name.utf8.count) else { return false }
        let address = name.dropFirst().dropLast()
        return address.contains(":") && address.allSatisfy { $0.isHexDigit && $0.isASCII || $0 == ":" || $0 == "." }
    }
}

extension Character {
    var isASCIIDigit: Bool { ("0"..."9").contains(self) }
    var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}

extension StringProtocol {
    /// Whether the text has a character that moves a cursor or ends a line.
    var hasControls: Bool { unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) } }

    /// The text without the spaces at its ends.
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
