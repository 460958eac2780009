// What the characters of a written phone number mean.

extension Unicode.Scalar {
    /// The ASCII digit of the same value, for a decimal digit of any script.
    public var decimalDigit: Character? {
        guard properties.numericType == .decimal, let value = properties.numericValue else { return nil }
        return Character(String(Int(value)))
    }

    /// The ASCII sign of a keypad, or the plus sign, for one of ASCII or of its full-width form.
    var keypadSign: Character? {
        switch self {
        case "*", "\u{FF0A}": "*"
        case "#", "\u{FF03}": "#"
        case "+", "\u{FF0B}": "+"
        default: nil
        }
    }

    /// Whether nothing is seen of it: marks of the writing direction, joiners, soft hyphens and byte order marks, which
    /// copied numbers bring along.
    public var isInvisible: Bool { properties.generalCategory == .format || properties.isDefaultIgnorableCodePoint }

    /// Whether people write it within numbers for the eye alone, or nothing is seen of it: it is no part of the number in
    /// any reader.
    public var isNumberFormatting: Bool {
        switch properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator, .dashPunctuation, .openPunctuation,
            .closePunctuation:
            true
        case _ where isInvisible: true
        default: [".", "/", "~", "\t", "\u{2212}", "\u{FF0E}", "\u{FF0F}", "\u{2022}", "\u{B7}"].contains(self)
        }
    }
}

extension String {
    /// The text of a phone number without the signs between its digits. The digits, the plus sign and the signs of a keypad become
    /// those of ASCII.
    public var withoutNumberFormatting: String {
        // Most are plain already, and lists have millions of them.
        if utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2B }) { return self }
        var plain = ""
        for scalar in withoutTrunkZero.unicodeScalars where !scalar.isNumberFormatting {
            if let digit = scalar.decimalDigit {
                plain.append(digit)
            } else {
                plain.append(scalar.keypadSign ?? Character(scalar))
            }
        }
        return plain
    }

    /// `+46 (0)70 123 45 67`: the zero is dialed only without the country code, but in Italy and San Marino.
    var withoutTrunkZero: String {
        // Address books have many numbers, and few of them brackets.
        guard utf8.contains(where: { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "[") }) else { return self }
        let start = drop { $0.isWhitespace }
        guard ["+", "\u{FF0B}", "00"].contains(where: start.hasPrefix), !start.contains(/^(\+|\u{FF0B}|00) *(39|378)/)
        else {
            return self
        }
        return ["(0)", "[0]"].reduce(self) { $0.replacing($1, with: "", maxReplacements: 1) }
    }
}
