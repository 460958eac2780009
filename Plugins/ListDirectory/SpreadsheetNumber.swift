// What spreadsheets make of a telephone number that they take for a quantity.

/// A telephone number as a quantity: with a fraction, in scientific notation, or with a comma after each three digits.
enum SpreadsheetNumber {
    /// Returns the digits of a number in one of these forms, and any other text as it is.
    ///
    /// - Throws: for a quantity whose last digits are not told, or that is no whole number.
    static func plain(_ text: String) throws(ListProblem) -> String {
        // Most numbers have no such sign, and most other text has more.
        guard text.utf8.contains(where: { ".,eE".utf8.contains($0) }),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+.,eE \t".utf8.contains($0) })
        else { return text }
        if let parts = text.wholeMatch(of: /(\+?[0-9]{7,19})[.,](0+)/) {
            // Three zeros can be the last digits of a number, too.
            guard parts.2.count != 3 || parts.1.count >= 10 else {
                throw .wrong("it can be a number with a fraction, expected digits as in +46701234567")
            }
            return String(parts.1)
        }
        if text.contains(/^\+?[0-9]{1,3}(,[0-9]{3}){2,}$/) { return text.filter { $0 != "," } }
        guard let parts = scientific(text) else { return text }
        let rest = parts.fraction.dropFirst(parts.exponent)
        guard parts.fraction.count >= parts.exponent, rest.allSatisfy({ $0 == "0" }) else {
            throw .wrong(
                "a number that a spreadsheet has rounded, expected all its digits; format the column as text")
        }
        return parts.whole + parts.fraction.prefix(parts.exponent)
    }

    /// Returns the fields of a line without quotes, in which the commas of a number were taken for those between columns, as
    /// in `441,632,960,010,Spam`; the fields themselves if there is no such number.
    ///
    /// - Parameters:
    ///   - column: that of the numbers; nil if it is not known.
    ///   - width: how many columns the table has; nil if it is not known.
    /// - Throws: if there is such a number, and it is not clear where it ends.
    static func joined(_ fields: [String], at column: Int?, width: Int?) throws(ListProblem) -> [String] {
        let surplus = width.map { fields.count - $0 } ?? 0
        guard surplus >= 0, width == nil || surplus > 0, let first = column ?? fields.firstIndex(where: isHead),
            fields.indices.contains(first), isHead(fields[first])
        else { return fields }
        let tail = fields[(first + 1)...].prefix { isDigits($0.trimmedOfSpaces, 3...3) }
        // In a first line, it has to be as long as a number with a country code.
        let count = width == nil ? tail.count : surplus
        guard tail.count >= count, count >= (width == nil ? 3 : 2) else {
            guard width == nil || tail.isEmpty else {
                throw .wrong("more columns than there are, expected a number with commas in quotes")
            }
            return fields
        }
        let number = fields[first...(first + count)].map(\.trimmedOfSpaces).joined()
        return Array(fields[..<first]) + [number] + Array(fields[(first + count + 1)...])
    }

    private static func isHead(_ field: String) -> Bool {
        let text = field.trimmedOfSpaces
        return isDigits(text.hasPrefix("+") ? text.dropFirst() : text, 1...3)
    }

    private static func isDigits(_ digits: Substring, _ count: ClosedRange<Int>) -> Bool {
        count.contains(digits.utf8.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether a text is a number that does not tell which.
    static func isUnclear(_ text: String) -> Bool {
        do throws(ListProblem) {
            _ = try plain(text)
            return false
        } catch {
            return true
        }
    }

    private static func scientific(_ text: String) -> (whole: String, fraction: String, exponent: Int)? {
        guard text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }),
            let parts = text.wholeMatch(of: /\s*\+?([0-9]{1,19})(?:[.,]([0-9]{1,32}))?[eE]\+?([0-9]{1,2})\s*/),
            let exponent = Int(parts.3)
        else { return nil }
        return (String(parts.1), parts.2.map(String.init) ?? "", exponent)
    }
}

extension String {
    fileprivate var trimmedOfSpaces: Substring {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}
