// What a line of a text list has.

/// Finds the numbers in a line of text, which may have more than that.
enum TextLine {
    /// What separates fields.
    static let separators: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|")]

    /// Returns the texts of the numbers, or what stands for one that is invalid; empty for a line without anything but a
    /// comment.
    static func numbers(in line: String) -> [Substring] {
        let text = withoutComment(line[...])
        if text.isEmpty { return [] }
        if isNumber(text) || isLikely(text) { return [text] }
        // As Asterisk shows the entries of a database: /blacklist/15550100123 : 1
        if text.hasPrefix("/") { return [trimmed((text.split(separator: "/").last ?? "").prefix { $0 != ":" })] }
        let fields = text.split { $0.utf8.count == 1 && separators.contains($0.utf8.first ?? 0) }.map(trimmed)
        if fields.count > 1 || fields.first != text {
            // All numbers in one line, or a number with other things.
            let likely = fields.filter(isLikely)
            if likely.count == fields.count { return fields }
            let short = fields.filter(isNumber)
            // Of several short numbers, nobody knows which one it is.
            return [likely.first ?? (short.count == 1 ? short[0] : text)]
        }
        // A number with a name after it.
        let words = text.prefix { !$0.isLetter }
        let isNamed = words.last?.isWhitespace == true && isLikely(trimmed(words))
        return [isNamed ? trimmed(words) : text]
    }

    private static func isLikely(_ text: Substring) -> Bool { ListColumns.likeness(of: String(text)) == 2 }

    private static func isNumber(_ text: Substring) -> Bool { (try? ListNumbers(text, countryCode: "0")) != nil }

    /// A `#` begins a comment, unless it is at the end of a number, where it stands for a digit.
    private static func withoutComment(_ text: Substring) -> Substring {
        // As in files of settings, and in code.
        if text.drop(while: \.isWhitespace).hasPrefix("//") || text.first == ";" { return "" }
        var plain = text
        while plain.last?.isWhitespace == true { plain.removeLast() }
        let stem = plain.dropLast(plain.reversed().prefix { $0 == "#" }.count)
        let isPattern = stem.count < plain.count && stem.last?.isNumber == true && !stem.contains("#")
        return trimmed(isPattern ? plain : text.prefix { $0 != "#" })
    }

    private static func trimmed(_ text: some StringProtocol) -> Substring {
        var text = Substring(text).drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
