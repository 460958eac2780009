// SIPUser: the part of a SIP URI before the `@`, with its escapes (RFC 3261, 19.1.2 and 25.1).

enum SIPUser {
    /// What stands for itself: `unreserved` and `user-unreserved`.
    private static let plain = Set("-_.!~*'()&=+$,;?/".utf8)

    /// The user part for a name that a person typed: what must be escaped is, and escapes that are there already stay.
    /// Nil for an empty name, and for one with control characters, written or escaped.
    static func escaped(_ name: some StringProtocol) -> String? {
        guard !name.isEmpty, !name.hasControls else { return nil }
        var bytes = Array(name.utf8)[...]
        var text = ""
        while let byte = bytes.first {
            if byte == UInt8(ascii: "%"), let value = value(of: bytes.dropFirst().prefix(2)) {
                guard value >= 0x20, value != 0x7F else { return nil }
                text += escape(value)
                bytes = bytes.dropFirst(3)
            } else {
                text += isPlain(byte) ? String(UnicodeScalar(byte)) : escape(byte)
                bytes = bytes.dropFirst()
            }
        }
        return text
    }

    /// The name that a user part stands for, for people to read. Nil if it is not valid UTF-8, or has control characters.
    static func name(of user: some StringProtocol) -> String? {
        var bytes = Array(user.utf8)[...]
        var name: [UInt8] = []
        while let byte = bytes.first {
            if byte == UInt8(ascii: "%"), let value = value(of: bytes.dropFirst().prefix(2)) {
                name.append(value)
                bytes = bytes.dropFirst(3)
            } else {
                name.append(byte)
                bytes = bytes.dropFirst()
            }
        }
        return String(validating: name, as: UTF8.self).flatMap { $0.hasControls ? nil : $0 }
    }

    /// The digits of a phone number without the signs that people write between them: `+46 (0)70-12` is `+4607012`. Nil if
    /// anything else is in it, or if it has more than 64 digits.
    static func number(_ text: some StringProtocol) -> String? {
        let digits = String(String.UnicodeScalarView(text.unicodeScalars.filter { !isSeparator($0) }))
        let rest = digits.hasPrefix("+") ? digits.dropFirst() : digits[...]
        guard (1...64).contains(rest.count), rest.allSatisfy({ $0.isASCIIDigit || $0 == "*" || $0 == "#" }) else {
            return nil
        }
        return digits
    }

    /// Whether a user part without `user=phone` is a number: it has digits, and nothing that a name has.
    static func isWrittenAsNumber(_ text: some StringProtocol) -> Bool {
        number(text) != nil && text.contains(where: \.isASCIIDigit)
    }

    /// A user part, with escapes, without what stands between the digits of its number: servers compare it letter by letter.
    /// - Parameter isPhone: whether it is a number in any case (`user=phone`); otherwise one with `+` is.
    static func withoutSeparators(_ user: String, isPhone: Bool) -> String {
        let written = user.prefix { $0 != ";" }
        guard let number = name(of: written).flatMap({ number($0) }), isPhone || number.hasPrefix("+"),
            let digits = escaped(number)
        else { return user }
        return digits + user[written.endIndex...]
    }

    /// What people and programs write between digits: spaces, hyphens, brackets, and signs that nobody sees.
    private static func isSeparator(_ scalar: UnicodeScalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .dashPunctuation, .format: true
        default: "().\u{2F}\u{2212}".unicodeScalars.contains(scalar)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        let character = Character(UnicodeScalar(byte))
        return character.isASCIIDigit || character.isASCIILetter || plain.contains(byte)
    }

    private static func value(of digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
        return String(validating: digits, as: UTF8.self).flatMap { UInt8($0, radix: 16) }
    }

    private static func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
    }
}
