// PhoneNumberText: reads a phone number in any of the ways in which people write it.

/// A phone number as it is dialed, and what is dialed after it.
struct PhoneNumberText {
    /// ASCII digits, `*` and `#`, with `+` for an international number.
    var digits = ""
    /// What follows the first pause, beginning with it: a comma for a pause, a semicolon where the user says when to go on;
    /// empty for none.
    private(set) var postDial = ""
    /// Whether the far side is not to see the number of this side; nil = as the network does it for others.
    private(set) var hidesNumber: Bool?

    /// Reads a number. Its formatting is left out, and digits of any script become ASCII. Words of three or more capital
    /// letters at its end stand for the digits of a keypad (ITU-T E.161), as in 1-800-FLOWERS. Digits after a pause (a
    /// comma or `p`) or a wait sign (a semicolon or `w`), and those of an extension (`x12`, `ext. 12`), are dialed after
    /// the call has connected. `#31#` and `*31#` before a number hide and show the own one (3GPP TS 22.030, 6.5.5.1).
    ///
    /// - Returns: nil for text that is no number.
    /// - Throws: `InvalidArguments` for a letter within a number, and for bad digits after it.
    init?(_ text: String) throws(CallError) {
        var rest = text.withoutInvisibles.withoutTrunkZero.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if let digit = scalar.decimalDigit {
                digits.append(digit)
            } else if let sign = scalar.keypadSign {
                // An international number may follow a service code, such as *31#, or stand in one: *21*+46…#.
                guard sign != "+" || digits.isEmpty || digits.hasSuffix("#") || digits.hasSuffix("*") else {
                    return nil
                }
                digits.append(sign)
            } else if scalar.isNumberFormatting {
                continue
            } else if hasDigits, try addDigits(afterPause: scalar, rest, of: text) {
                break
            } else if hasDigits, scalar.properties.isAlphabetic {
                guard digits.count >= 3 else { throw Self.hasLetter }
                try addWords(String(scalar).unicodeScalars + rest, of: text)
                break
            } else {
                return nil
            }
        }
        guard hasDigits, digits.last != "+" else { return nil }
        readPrefix()
    }

    private static let hasLetter = CallError(
        .invalidArguments,
        "there is a letter in the number, expected digits, or a word of three or more capital letters at its end as in "
            + "1-800-FLOWERS")

    private var hasDigits: Bool { digits.contains { $0 != "+" } }

    private mutating func readPrefix() {
        for (prefix, hides) in [("#31#", true), ("*31#", false)] where digits.hasPrefix(prefix) {
            guard digits.count > prefix.count else { return }
            digits.removeFirst(prefix.count)
            hidesNumber = hides
            return
        }
    }

    /// Reads what follows a pause or the word of an extension.
    ///
    /// - Returns: false if there is neither.
    private mutating func addDigits(
        afterPause scalar: Unicode.Scalar, _ rest: Substring.UnicodeScalarView, of text: String
    ) throws(CallError) -> Bool {
        if let pause = Self.pause(scalar, before: rest) {
            try addDigits(String(rest), after: pause, of: text)
        } else if digits.count > 1, let digits = Self.extensionDigits(scalar, rest) {
            try addDigits(digits, of: text)
        } else {
            return false
        }
        return true
    }

    /// Reads the words at the end of a number: one has three letters, and none only one.
    private mutating func addWords(_ written: String.UnicodeScalarView, of text: String) throws(CallError) {
        var rest = Substring(String(written)).unicodeScalars
        var lengths = [0]
        while let scalar = rest.popFirst() {
            let isBetween = scalar.isNumberFormatting || scalar == "," || scalar == ";"
            if isBetween || lengths.last == 0, try addDigits(afterPause: scalar, rest, of: text) { break }
            if scalar.isNumberFormatting {
                lengths.append(0)
            } else if let key = Self.keypadDigit(scalar) {
                digits.append(key)
                lengths[lengths.count - 1] += 1
            } else {
                throw Self.hasLetter
            }
        }
        // A letter alone is a mistake for a digit: GO FEDEX has none.
        guard !lengths.contains(1), lengths.contains(where: { $0 >= 3 }) else { throw Self.hasLetter }
    }

    /// Adds what is dialed after the number.
    ///
    /// - Parameter pause: what stands before it.
    /// - Throws: `InvalidArguments` if there is no digit, or anything but formatting besides digits and pauses.
    mutating func addDigits(_ written: String, after pause: Character = ",", of text: String) throws(CallError) {
        var added = String(pause)
        for scalar in written.unicodeScalars {
            if let digit = scalar.decimalDigit {
                added.append(digit)
            } else if let pause = Self.pauses[scalar] {
                added.append(pause)
            } else if let sign = scalar.keypadSign, sign != "+" {
                added.append(sign)
            } else if ("A"..."D").contains(scalar) {
                added.unicodeScalars.append(scalar)
            } else if !scalar.isNumberFormatting {
                throw DialString.invalid(text)
            }
        }
        guard added.contains(where: { $0 != "," && $0 != ";" }) else { throw DialString.invalid(text) }
        postDial += added
    }

    private static let pauses: [Unicode.Scalar: Character] = [
        ",": ",", "p": ",", "P": ",", ";": ";", "w": ";", "W": ";",
    ]

    /// Returns `,` for a pause, `;` for waiting until the user wants to go on, nil for anything else.
    private static func pause(_ scalar: Unicode.Scalar, before rest: Substring.UnicodeScalarView) -> Character? {
        let isFollowed = rest.first.map { $0.decimalDigit != nil || "*#,;".unicodeScalars.contains($0) } ?? false
        return scalar == "," || scalar == ";" || isFollowed ? pauses[scalar] : nil
    }

    /// Whether a parameter of a `tel:` URI is what is dialed after a wait sign, as phones write it.
    static func isDialed(_ parameter: String) -> Bool {
        guard let first = parameter.unicodeScalars.first else { return false }
        return first.decimalDigit != nil || "*#,".unicodeScalars.contains(first)
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
