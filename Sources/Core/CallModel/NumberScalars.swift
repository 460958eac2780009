// What the characters of a written phone number mean.

extension Unicode.Scalar {
    /// The ASCII digit of the same value, for a decimal digit of any script.
    public var decimalDigit: Character? {
        guard properties.numericType == .decimal, let value = properties.numericValue else { return nil }
        return Character(String(Int(value)))
    }

    /// Whether people write it within numbers for the eye alone. Copied numbers bring along marks of the writing direction.
    public var isNumberFormatting: Bool {
        switch properties.generalCategory {
        case .spaceSeparator, .dashPunctuation, .format, .openPunctuation, .closePunctuation: true
        default: [".", "/", "~", "\t", "\u{2212}", "\u{FF0E}", "\u{FF0F}", "\u{2022}", "\u{B7}"].contains(self)
        }
    }
}
