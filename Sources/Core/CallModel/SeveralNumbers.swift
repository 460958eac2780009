// SeveralNumbers: the numbers in a text that was meant for one.

extension String {
    /// The phone numbers in a field of an address book, in which people write two beside each other: `+46 8 123 456 78 /
    /// +46 70 123 45 67`. The text itself, if it has only one.
    ///
    /// A comma and a semicolon can pause, and a slash can stand within a number. So each of the numbers has at least seven
    /// digits, and begins with a plus sign; behind anything but a comma or a semicolon, a zero is enough.
    public var writtenNumbers: [String] {
        guard utf8.count <= 256, !DialString.hasScheme(self), utf8.contains(where: { "+0".utf8.contains($0) }) else {
            return [self]
        }
        var parts = [self]
        for (signs, beginnings) in [("/|\n\\", ["+", "0", "(0", "(+"]), (",;", ["+", "(+"])] {
            parts = parts.flatMap { part -> [String] in
                let fields = part.split { signs.contains($0) }.map { $0.drop(while: \.isWhitespace) }
                let areNumbers = fields.allSatisfy { field in
                    field.isWholeNumber && beginnings.contains(where: field.hasPrefix)
                }
                return fields.count > 1 && areNumbers ? fields.map(String.init) : [part]
            }
        }
        return parts.flatMap(\.splitAtPlusSigns)
    }

    /// The texts from one plus sign to the next, with what separates them left out.
    private var splitAtPlusSigns: [String] {
        let places = indices.filter { self[$0] == "+" }
        guard places.count > 1, let first = places.first, !self[..<first].contains(where: \.isNumber) else {
            return [self]
        }
        let ends = places.dropFirst() + [endIndex]
        let fields = zip(places, ends).map { self[$0..<$1] }
        return fields.allSatisfy(\.isWholeNumber) ? fields.map(\.withoutLastWord) : [self]
    }
}

extension Substring {
    /// Whether it has as many digits as a whole number, and no service code.
    fileprivate var isWholeNumber: Bool { count(where: \.isNumber) >= 7 && !contains { "*#".contains($0) } }

    /// Without what separates it from the next number, such as a word.
    fileprivate var withoutLastWord: String {
        let end = lastIndex(where: \.isNumber).map { index(after: $0) } ?? startIndex
        return String(self[..<end])
    }
}
