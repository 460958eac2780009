// SIPQuotes: what stands in quotes (RFC 3261, 25.1: quoted-string).

/// Tells, character by character, whether it stands in quotes.
struct SIPQuotes {
    private var isOpen = false
    private var isEscaped = false

    /// Whether the next character belongs to a quoted text; the quotes themselves do.
    mutating func encloses(_ character: Character) -> Bool {
        guard isOpen else {
            isOpen = character == "\""
            return isOpen
        }
        if isEscaped {
            isEscaped = false
        } else if character == "\\" {
            isEscaped = true
        } else if character == "\"" {
            isOpen = false
        }
        return true
    }

    /// The parts between separators that stand neither in quotes nor in angle brackets.
    static func parts(of text: some StringProtocol, at separator: Character) -> [String] {
        var parts = [""]
        var quotes = SIPQuotes()
        var depth = 0
        for character in text {
            let isQuoted = quotes.encloses(character)
            if !isQuoted, character == "<" { depth += 1 }
            if !isQuoted, character == ">" { depth -= 1 }
            if character == separator, !isQuoted, depth <= 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }

    /// The first angle bracket that stands in no quotes.
    static func bracket(in text: String) -> String.Index? {
        var quotes = SIPQuotes()
        return text.indices.first { !quotes.encloses(text[$0]) && text[$0] == "<" }
    }

    /// The text without the quotes around it, and without the backslashes in them.
    static func unquoted(_ text: String) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { result.append(character) }
        }
        return result
    }
}
