// The first and the last number of a range, with a sign between them.

/// A range as `44163296070-79` or `+441632960070 - +441632960079`: the digits behind the sign take the place of the last ones
/// before it. Phone numbers have dashes, too: it is a range only if the digits before it are a whole number already.
struct NumberSpan {
    /// Both with the beginning of the first one.
    let first: String, last: String

    /// The least digits of a number that is whole, and the most digits that take the place of its last ones.
    private static let whole = 10, replaced = 3

    /// - Returns: nil for a text that is one number.
    /// - Throws: if it can as well be one number with an extension, or two numbers.
    init?(_ text: String) throws(ListProblem) {
        guard text.utf8.contains(where: { "-~/.".utf8.contains($0) || $0 >= 0x80 }) else { return nil }
        let marked = text.replacing("..", with: "~")
        let places = marked.unicodeScalars.indices.filter { Self.isBetween(marked.unicodeScalars[$0]) }
        guard places.count == 1, let place = places.first else { return nil }
        let scalars = marked.unicodeScalars
        let (before, after) = (String(scalars[..<place]), String(scalars[scalars.index(after: place)...]))
        let (first, second) = (plainPhoneNumber(before), plainPhoneNumber(after))
        let digits = second.drop { $0 == "+" }
        guard Self.isNumber(first), Self.isNumber(second), first.hasPrefix("+") || digits.count == second.count else {
            return nil
        }
        let length = first.drop { $0 == "+" }.count
        let isWhole = digits.count == length && length >= 6 && first.suffix(length).prefix(3) == digits.prefix(3)
        if isWhole || second.hasPrefix("+") {
            guard digits.count == length, first.suffix(length) <= digits else {
                throw .wrong("no range of numbers, expected two of one length as in +46701234500-+46701234599")
            }
            (self.first, last) = (first, (first.hasPrefix("+") ? "+" : "") + digits)
            return
        }
        let tail = first.suffix(digits.count)
        guard length >= Self.whole, (1...Self.replaced).contains(digits.count), second.count == digits.count,
            tail.count == digits.count, tail < digits
        else { return nil }
        guard scalars[place] != "/" else { throw .wrong("two numbers in one, expected each in a line of its own") }
        // In Germany and Austria the digits of an extension follow a dash (DIN 5008).
        if first.contains(/^(\+|00)?(49|43)/) {
            if before.contains(where: \.isWhitespace) { return nil }
            throw .wrong("it can be a range or an extension, expected * or ? at the end for a range")
        }
        (self.first, last) = (first, String(first.dropLast(digits.count) + digits))
    }

    /// Whether a text may be more than one number, and does not tell which.
    static func isUnclear(_ text: String) -> Bool {
        do throws(ListProblem) {
            _ = try NumberSpan(text)
            return false
        } catch {
            return true
        }
    }

    private static func isNumber(_ text: String) -> Bool {
        let digits = text.hasPrefix("+") ? text.dropFirst() : text[...]
        return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isBetween(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .dashPunctuation || scalar == "~" || scalar == "/" || scalar == "\u{2212}"
    }
}
