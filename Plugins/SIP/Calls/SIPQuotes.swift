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
}
