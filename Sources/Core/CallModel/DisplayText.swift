// Text from outside that people will read, made safe to show.

extension Unicode.Scalar {
    /// Control characters, and the bidirectional overrides, embeddings and isolates with which text can lie on screen.
    public var isUnsafeInText: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        case 0x2028, 0x2029: true
        default: false
        }
    }
}

extension String {
    /// The longest name that is shown, in characters.
    public static var maximumDisplayLength: Int { 256 }

    /// Combining marks are limited as well: a letter can have any number of them.
    private static var maximumScalars: Int { 16 * maximumDisplayLength }

    /// The same if it can travel; text with a NUL cannot, and is made displayable.
    public var withoutNUL: String { utf8.contains(0) ? displayable : self }

    /// This text without unsafe characters, cut at 256 characters.
    public var displayable: String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: unicodeScalars.lazy.filter { !$0.isUnsafeInText }.prefix(Self.maximumScalars))
        return String(String(scalars).prefix(Self.maximumDisplayLength))
    }

    /// This text in lines without unsafe characters, without empty lines at its ends, and cut. Combining marks are limited
    /// as in `displayable`.
    public func safeLines(at most: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(16 * most) {
            if scalar == "\t" {
                scalars.append(" ")
            } else if scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}" {
                scalars.append("\n")
            } else if !scalar.isUnsafeInText {
                scalars.append(scalar)
            }
        }
        let lines = String(scalars).split(separator: "\n").joined(separator: "\n")
        return String(lines.prefix(most))
    }

    /// This text with an ellipsis for all that stands between its first apostrophe and its last.
    public var withoutQuotation: String {
        guard let first = firstIndex(of: "'"), let last = lastIndex(of: "'"), first < last else { return self }
        return self[...first] + "…" + self[last...]
    }

    /// Whether it is a word as the contract has them, and so neither a number nor, beyond a few small letters, a name:
    /// what somebody sent may be quoted to others only then. It begins with a small letter, and has at most 40 small
    /// letters, digits and hyphens, at most three of them digits.
    public var isWord: Bool {
        guard let first = utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first), utf8.count <= 40 else {
            return false
        }
        let digits = utf8.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits <= 3
            && utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }

    /// The beginning of outside text for the log; an ellipsis if it has so many digits that it may be a number.
    public var plainExcerpt: String { count(where: \.isNumber) > 3 ? "…" : excerpt }

    /// The first 64 characters of outside text, without control characters. Quote it in errors to its sender only.
    public var excerpt: String { String(displayable.prefix(64)) }
}
