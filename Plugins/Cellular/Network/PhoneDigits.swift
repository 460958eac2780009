// PhoneDigits: what may be dialed. The text of a number becomes part of a command to the modem.

import OpenCallKit

/// Numbers and tones as a modem takes them.
enum PhoneDigits {
    static let maximum = 64
    /// How long a pause between tones is.
    static let pause = Duration.seconds(2)

    /// The number without the signs that people write between its digits; nil if anything else is in it, and for a service
    /// code. What only begins like one, such as `*21*070`, is none: a PBX has such numbers, but a modem may obey it.
    static func dialable(_ number: String) -> String? {
        let digits = number.filter { !" -().\u{a0}".contains($0) }
        let rest = digits.hasPrefix("+") ? digits.dropFirst() : digits[...]
        guard (1...maximum).contains(rest.count), rest.allSatisfy({ "0123456789*#".contains($0) }) else { return nil }
        let beginsLikeOne = "*#".contains(digits.prefix(1)) && digits.dropFirst().contains { "*#".contains($0) }
        return beginsLikeOne || CXHandle(type: .phoneNumber, value: digits).isServiceCode ? nil : digits
    }

    /// Whether the network obeys it during a call, in which one or two digits hold, end and exchange calls (3GPP TS 22.030,
    /// 6.5.5).
    static func areObeyedInCall(_ digits: String) -> Bool { digits.count <= 2 }

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
