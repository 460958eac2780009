// The number of a line, or the numbers that it stands for.

/// A number as lists write it: digits that begin with the country code, with or without `+` or `00` before them. At its
/// end, `*` or `…` stands for any digits, and each `?` or `#` for one. A dash can stand between the first and the last number
/// of a range.
struct ListNumbers: Hashable {
    /// The numbers, in order; more than one range if the count of digits is open.
    let ranges: [ClosedRange<Int64>]

    /// The longest number with a country code, in digits (ITU-T E.164).
    private static let longest = 15
    /// The most digits of any other number.
    private static let mostDigits = 17
    /// The longest text that is read, in characters.
    private static let longestText = 256
    private static let expected = "expected digits as in +46701234567"

    /// The number, if it is only one.
    var single: Int64? {
        guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
        return range.lowerBound
    }

    /// - Parameter countryCode: what numbers begin with that have no country code; nil if they are invalid.
    init(_ text: some StringProtocol, countryCode: String? = nil) throws(ListProblem) {
        guard text.count <= Self.longestText else { throw .wrong("no number, \(Self.expected)") }
        let body = try SpreadsheetNumber.plain(Self.withoutWrapping(text))
        if let span = try NumberSpan(body) {
            ranges = [try Self.range(of: span, countryCode)]
            return
        }
        var plain = plainPhoneNumber(body)[...]
        let digits = try Self.ending(&plain)
        let stem = try Self.stem(plain, countryCode)
        guard let number = Int64(stem.prefix(Self.mostDigits + 1)), number > 0 else {
            throw .wrong("no number, \(Self.expected)")
        }
        switch digits {
        case .none:
            guard stem.count <= Self.mostDigits else { throw .wrong("too long for a number, \(Self.expected)") }
            ranges = [number...number]
        case .exactly(let count):
            guard stem.count + count <= Self.longest else {
                throw .wrong("too many digits for a range, \(Self.expected)")
            }
            ranges = [Self.range(number, count)]
        case .any:
            guard stem.count <= Self.longest else { throw .wrong("too many digits for a range, \(Self.expected)") }
            ranges = (0...(Self.longest - stem.count)).map { Self.range(number, $0) }
        }
    }

    /// Reads the bytes of a number that has nothing but a plus sign and digits, as most of the millions in a list.
    /// - Returns: nil for any other text.
    init?(plain bytes: [UInt8]) {
        let digits = bytes.first == UInt8(ascii: "+") ? bytes.dropFirst() : bytes[...]
        guard (1...Self.mostDigits).contains(digits.count), digits.first != UInt8(ascii: "0") else { return nil }
        var number: Int64 = 0
        for byte in digits {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        ranges = [number...number]
    }

    /// What stands at the end of a number.
    private enum Ending { case none, exactly(Int), any }

    private static func ending(_ text: inout Substring) throws(ListProblem) -> Ending {
        let signs = text.reversed().prefix { "*…?#".contains($0) }
        text.removeLast(signs.count)
        if signs.isEmpty { return .none }
        if signs.allSatisfy({ "*…".contains($0) }) { return .any }
        guard signs.allSatisfy({ "?#".contains($0) }) else {
            throw .wrong("signs for any digits beside signs for one digit, expected * or ? at the end")
        }
        return .exactly(signs.count)
    }

    private static func range(_ stem: Int64, _ count: Int) -> ClosedRange<Int64> {
        let size = (0..<count).reduce(Int64(1)) { size, _ in size * 10 }
        return stem * size...(stem * size + size - 1)
    }

    private static func range(
        of span: NumberSpan, _ countryCode: String?
    ) throws(ListProblem) -> ClosedRange<Int64> {
        let ends = (try stem(span.first[...], countryCode), try stem(span.last[...], countryCode))
        guard max(ends.0.count, ends.1.count) <= longest, let first = Int64(ends.0), let last = Int64(ends.1),
            first > 0, first <= last
        else { throw .wrong("no range of numbers, expected two of one length as in +46701234500-+46701234599") }
        return first...last
    }

    /// Returns the digits with their country code.
    private static func stem(_ text: Substring, _ countryCode: String?) throws(ListProblem) -> String {
        var digits = text
        let isInternational = digits.hasPrefix("+")
        if isInternational { digits.removeFirst() }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .wrong("no number, \(expected)")
        }
        return try withCountryCode(String(digits), isInternational, countryCode)
    }

    private static func withCountryCode(
        _ digits: String, _ isInternational: Bool, _ countryCode: String?
    ) throws(ListProblem) -> String {
        if !isInternational, digits.hasPrefix("00"), !digits.hasPrefix("000"), digits.count > 2 {
            return String(digits.dropFirst(2))
        }
        if let countryCode, !isInternational {
            if digits.hasPrefix("0") {
                return countryCode + (countryCode == "39" ? digits : String(digits.dropFirst()))
            }
            return digits.hasPrefix(countryCode) ? digits : countryCode + digits
        }
        guard !digits.hasPrefix("0") else {
            throw .wrong("a number without a country code, expected one as in +46701234567")
        }
        return digits
    }

    /// Returns the text without what spreadsheets and programs put around it: quotes, the apostrophe and the formula that make
    /// it a text, and `tel:`. Three dots are one sign.
    private static func withoutWrapping(_ text: some StringProtocol) -> String {
        let marks: Set<Character> = ["'", "\"", "’", "‘", "“", "”", "`", "="]
        func isAround(_ sign: Character) -> Bool {
            sign.isWhitespace || marks.contains(sign)
                || sign.unicodeScalars.allSatisfy(\.properties.isDefaultIgnorableCodePoint)
        }
        var body = text.drop(while: isAround)
        while let last = body.last, isAround(last) { body.removeLast() }
        if body.prefix(4).lowercased() == "tel:" { body = body.dropFirst(4) }
        return body.hasSuffix("...") ? body.dropLast(3) + "…" : String(body)
    }
}

/// Why a line is invalid.
enum ListProblem: Error {
    case wrong(String)
    case body(any Error)
}
