// PhoneNumberText: reads a phone number in any of the ways in which people write it.

/// A phone number as it is dialed, and what is dialed after it.
struct PhoneNumberText {
    /// ASCII digits, `*` and `#`, with `+` for an international number.
    var digits = ""
    /// What follows a pause, beginning with the comma; empty for none.
    private(set) var postDial = ""

    /// Reads a number. Its formatting is left out, and digits of any script become ASCII. Capital letters stand for the
    /// digits of a keypad (ITU-T E.161) after three digits, as in 1-800-FLOWERS. Digits after a pause (a comma or
    /// `p`), and those of an extension (`x12`, `ext. 12`), are dialed after the call has connected.
    ///
    /// - Returns: nil for text that is no number.
    /// - Throws: `InvalidArguments` for a number that waits for the user (`;` or `w`), and for a bad extension.
    init?(_ text: String) throws(CallError) {
        var rest = Self.withoutTrunkZero(text.withoutInvisibles).unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if let digit = scalar.decimalDigit {
                digits.append(digit)
            } else if scalar == "*" || scalar == "#" {
                digits.unicodeScalars.append(scalar)
            } else if scalar == "+" || scalar == "\u{FF0B}" {
                // An international number may follow a service code, such as *31#.
                guard digits.isEmpty || digits.last == "#" else { return nil }
                digits.append("+")
            } else if scalar.isNumberFormatting {
                continue
            } else if let pause = Self.pause(scalar, before: rest), hasDigits {
                guard pause != ";" else { throw Self.waits(text) }
                try addExtension(String(rest), of: text)
                break
            } else if let digits = Self.extensionDigits(scalar, rest), self.digits.count > 1 {
                try addExtension(digits, of: text)
                break
            } else if let digit = Self.keypadDigit(scalar), self.digits.count >= 3 {
                digits.append(digit)
            } else {
                return nil
            }
        }
        guard hasDigits, digits.last != "+" else { return nil }
    }

    static func waits(_ text: String) -> CallError {
        CallError(
            .invalidArguments,
            "\"\(text.excerpt)\" waits for the user after the number, expected a pause (,)")
    }

    private var hasDigits: Bool { digits.contains { $0 != "+" } }

    /// - Throws: `InvalidArguments` if there is no digit, or anything but formatting besides digits.
    mutating func addExtension(_ written: String, of text: String) throws(CallError) {
        var added = ""
        for scalar in written.unicodeScalars {
            if let digit = scalar.decimalDigit {
                added.append(digit)
            } else if scalar == "," || scalar == "p" || scalar == "P" {
                added.append(",")
            } else if scalar == "*" || scalar == "#" || ("A"..."D").contains(scalar) {
                added.unicodeScalars.append(scalar)
            } else if !scalar.isNumberFormatting {
                throw DialString.invalid(text)
            }
        }
        guard added.contains(where: { $0 != "," }) else { throw DialString.invalid(text) }
        postDial += "," + added
    }

    /// `+46 (0)70 123 45 67`: the zero is dialed only without the country code.
    private static func withoutTrunkZero(_ text: String) -> String {
        text.first == "+" || text.first == "\u{FF0B}" ? text.replacing("(0)", with: " ", maxReplacements: 1) : text
    }

    /// Returns `,` for a pause, `;` for waiting until the user wants to go on, nil for anything else.
    private static func pause(_ scalar: Unicode.Scalar, before rest: Substring.UnicodeScalarView) -> Character? {
        let isFollowed = rest.first.map { $0.decimalDigit != nil || $0 == "*" || $0 == "#" || $0 == "," } ?? false
        switch scalar {
        case ",": return ","
        case ";": return ";"
        case "p", "P": return isFollowed ? "," : nil
        case "w", "W": return isFollowed ? ";" : nil
        default: return nil
        }
    }

    /// Returns what follows `x`, `ext`, `ext.` or `extension`, in either case.
    private static func extensionDigits(_ scalar: Unicode.Scalar, _ rest: Substring.UnicodeScalarView) -> String? {
        let text = "\(scalar)\(String(rest))".lowercased()
        let words = ["extension", "extn", "ext", "x"]
        guard let word = words.first(where: text.hasPrefix) else { return nil }
        let digits = text.dropFirst(word.count).drop { $0 == "." || $0 == ":" || $0 == "=" || $0.isWhitespace }
        return digits.first?.isNumber == true ? String(digits) : nil
    }

    private static func keypadDigit(_ scalar: Unicode.Scalar) -> Character? {
        let keys: [ClosedRange<Unicode.Scalar>] = [
            "A"..."C", "D"..."F", "G"..."I", "J"..."L", "M"..."O", "P"..."S", "T"..."V", "W"..."Z",
        ]
        return keys.firstIndex { $0.contains(scalar) }.map { Character(String($0 + 2)) }
    }
}
