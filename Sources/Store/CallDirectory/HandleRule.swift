// HandleRule: a rule that matches one caller or many.

public import CallModel

/// One rule about callers, as people write it:
///
///     +46701234567                  a number, or a short one such as 1234
///     +4670… or +4670*              all numbers with this beginning
///     +46701234???                  all numbers with this beginning and so many digits more
///     +46900000000-+46909999999     all numbers in this range; both ends have the same length
///     anna@example.com              an e-mail address, literally
///     sip:anna                      a URI, literally
///     generic:anna                  any other handle, literally; phone-number: and email-address: name the type, too
///     withheld                      callers who withhold their handle
public enum HandleRule: Hashable, Sendable {
    /// A normalized handle: E.164, digits, an e-mail address or anything else.
    case exactly(String)
    /// `+` and digits, or digits.
    case prefix(String)
    /// `+` and digits.
    case range(ClosedRange<Int64>)
    case withheld

    /// The longest rule, in bytes.
    public static let maximumLength = 512

    /// - Parameters:
    ///   - text: as a person wrote it.
    ///   - normalize: normalizes a handle.
    /// - Throws: `InvalidArguments`, with the text and what was expected.
    public init(_ text: String, normalize: (String) -> String) throws(CallError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw CallError(.invalidArguments, "a rule of \(text.utf8.count) bytes, at most \(Self.maximumLength)")
        }
        // What is invisible is no part of a number.
        let text = text.contains { "@:".contains($0) } ? text : text.withoutInvisibles
        guard !text.unicodeScalars.contains(where: \.isUnsafeInText) else {
            throw CallError(.invalidArguments, "'\(text.displayable)' has control characters")
        }
        var trimmed = text.drop(while: \.isWhitespace)
        while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
        guard !trimmed.isEmpty else {
            throw CallError(.invalidArguments, "an empty rule, expected a number or a handle")
        }
        if trimmed == "withheld" {
            self = .withheld
        } else if Self.isTyped(trimmed) {
            // What is wrong with it, in the words of a start.
            _ = try DialString(parsing: String(trimmed))
            self = .exactly(normalize(String(trimmed)))
            guard normalize(description) == handle, !handle.isEmpty else {
                throw CallError(.invalidArguments, "'\(text)' is not a valid handle")
            }
        } else if let stem = Self.stem(of: trimmed) {
            self = .prefix(Self.international(try Self.digits(stem, of: text), normalize))
        } else if trimmed.hasSuffix("?") {
            self = .range(try Self.range(ofPattern: trimmed, text, normalize: normalize))
        } else if let range = try Self.range(trimmed, of: text) {
            self = .range(range)
        } else {
            if !Self.isHandle(trimmed), Self.beginsLikeNumber(trimmed) {
                _ = try DialString(parsing: String(trimmed))
            } else if !Self.isHandle(trimmed) {
                throw CallError(
                    .invalidArguments,
                    "'\(text)' is not a valid rule, expected a number, +4670…, +4670123????, +46900000000-+46909999999, an "
                        + "address such as anna@example.com or sip:anna, generic:anna, or withheld")
            }
            let handle = normalize(String(trimmed))
            guard !handle.isEmpty else { throw CallError(.invalidArguments, "'\(text)' is not a valid handle") }
            guard Self.isPlain(handle), normalize(handle) == handle else {
                throw CallError(
                    .invalidArguments, "'\(text)' is compared as '\(handle.displayable)', which is not a valid handle")
            }
            self = .exactly(handle)
        }
    }

    /// Returns the digits of a handle that is a number, without a sign.
    public static func number(of normalized: String) -> Int64? {
        let digits = normalized.hasPrefix("+") ? normalized.dropFirst() : normalized[...]
        guard (1...18).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(digits).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns whether a text is a number, or has what makes it an address.
    private static func isHandle(_ text: Substring) -> Bool {
        text.contains("@") || text.contains(":")
            || (text.contains(where: \.isNumber) && !text.contains { $0.isLetter || $0 == "?" })
    }

    /// Returns whether a text is a number in which something else is, such as a letter.
    private static func beginsLikeNumber(_ text: Substring) -> Bool {
        text.first.map { $0.isNumber || "+(".contains($0) } == true && text.contains(where: \.isLetter)
    }

    /// Returns whether a text names the type of the handle in it.
    private static func isTyped(_ text: Substring) -> Bool {
        HandleType.allCases.contains { text.lowercased().hasPrefix("\($0.rawValue):") }
    }

    /// The handle of a rule that has one; empty for others.
    private var handle: String {
        if case .exactly(let handle) = self { handle } else { "" }
    }

    /// Returns whether a rule with this handle is read again as the same rule.
    private static func isPlain(_ handle: String) -> Bool {
        handle.utf8.count <= maximumLength && !handle.unicodeScalars.contains(where: \.isUnsafeInText)
            && handle.first != " " && handle.last != " " && handle != "withheld" && stem(of: handle[...]) == nil
            && !(handle.hasPrefix("+") && handle.dropFirst().contains("+"))
    }

    private static func stem(of text: Substring) -> Substring? {
        for ending in ["…", "...", "*"] where text.hasSuffix(ending) { return text.dropLast(ending.count) }
        return nil
    }

    private static func digits(_ stem: Substring, of text: String) throws(CallError) -> String {
        let plain = String(stem).withoutNumberFormatting
        let digits = plain.hasPrefix("+") ? plain.dropFirst() : plain[...]
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw CallError(.invalidArguments, "'\(text)' is not a valid prefix, expected 1 to 15 digits as in +4670…")
        }
        return plain
    }

    /// Returns the beginning of numbers with the country code, as callers are compared; the digits themselves if the
    /// numbering plan of the region knows no number that begins with them.
    private static func international(_ stem: String, _ normalize: (String) -> String) -> String {
        guard stem.hasPrefix("0"), stem.utf8.count > 2 else { return stem }
        for count in 0...10 {
            let zeros = String(repeating: "0", count: count)
            let number = normalize(stem + zeros)
            if number.hasPrefix("+"), number.hasSuffix(zeros) { return String(number.dropLast(count)) }
        }
        return stem
    }

    /// Returns the numbers that have any digit for each question mark at the end.
    private static func range(
        ofPattern pattern: Substring, _ text: String, normalize: (String) -> String
    ) throws(CallError) -> ClosedRange<Int64> {
        let count = pattern.reversed().prefix { $0 == "?" }.count
        let stem = international(try digits(pattern.dropLast(count), of: text), normalize)
        guard stem.utf8.count + count <= 16 else {
            throw CallError(.invalidArguments, "'\(text)' is not a valid range, expected at most 15 digits")
        }
        let ends = ["0", "9"].map { digit in
            let end = stem + String(repeating: digit, count: count)
            return end.hasPrefix("+") ? end : normalize(end)
        }
        guard let low = number(of: ends[0]), let high = number(of: ends[1]), ends[0].count == ends[1].count,
            low <= high,
            ends.allSatisfy({ $0.hasPrefix("+") })
        else {
            throw CallError(
                .invalidArguments, "'\(text)' is not a valid range, expected the country code first as in +4670123????")
        }
        return low...high
    }

    /// - Returns: nil for invalid text.
    private static func range(_ trimmed: Substring, of text: String) throws(CallError) -> ClosedRange<Int64>? {
        guard trimmed.hasPrefix("+"), let second = trimmed.dropFirst().firstIndex(of: "+") else { return nil }
        let low = try digits(trimmed[..<second], of: text)
        let high = try digits(trimmed[second...], of: text)
        guard let lower = Int64(low.dropFirst()), let upper = Int64(high.dropFirst()), low.count == high.count,
            lower <= upper, low.hasPrefix("+")
        else {
            throw CallError(
                .invalidArguments,
                "'\(text)' is not a valid range, expected two numbers of one length as in +46900000000-+46909999999")
        }
        return lower...upper
    }
}

extension HandleRule: CustomStringConvertible {
    /// The rule as text, which makes the same rule again.
    public var description: String {
        switch self {
        case .exactly(let handle): Self.isHandle(handle[...]) && Self.isPlain(handle) ? handle : "generic:\(handle)"
        case .prefix(let stem): stem + "…"
        case .range(let range): "+\(range.lowerBound)-+\(range.upperBound)"
        case .withheld: "withheld"
        }
    }
}
