// PhoneDigits: what may be dialed. The text of a number becomes part of a command to the modem.

/// Numbers and tones as a modem takes them.
enum PhoneDigits {
    static let maximum = 64
    /// How long a pause between tones is.
    static let pause = Duration.seconds(2)

    /// The number without the signs that people write between its digits; nil if anything else is in it, and for a service
    /// code: a network that is to call one may obey it (3GPP TS 22.030, 6.5).
    static func dialable(_ number: String) -> String? {
        let digits = number.filter { !" -().\u{a0}".contains($0) }
        let rest = digits.hasPrefix("+") ? digits.dropFirst() : digits[...]
        guard (1...maximum).contains(rest.count), rest.allSatisfy({ "0123456789*#".contains($0) }) else { return nil }
        return isServiceCode(digits) ? nil : digits
    }

    private static func isServiceCode(_ digits: String) -> Bool {
        let signs = digits.dropFirst().contains { $0 == "*" || $0 == "#" }
        return digits.hasSuffix("#") || (signs && (digits.hasPrefix("*") || digits.hasPrefix("#")))
    }

    /// The tones of a text, in which commas and semicolons are pauses; nil if anything else is in it. Pauses become commas.
    static func tones(_ text: String) -> [Character]? {
        let tones = text.uppercased().map { $0 == ";" ? "," : $0 }
        return tones.count <= maximum && tones.allSatisfy({ "0123456789*#ABCD,".contains($0) }) ? tones : nil
    }

    /// The digits before the first pause, and all from the pause on.
    static func untilPause(_ text: String) -> (String, String) {
        let end = text.firstIndex { ",;".contains($0) } ?? text.endIndex
        return (String(text[..<end]), String(text[end...]))
    }

    /// The number that a modem shows; empty if it is no number.
    static func shown(_ number: String) -> String { dialable(number) ?? "" }
}
