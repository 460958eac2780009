// Quotes and escapes, with which any text is one word of a line.

/// Takes a line apart, scalar by scalar. `=`, space and semicolon mean themselves within quotes; a backslash escapes.
package struct WordReader {
    struct Word {
        var name: String?
        var text: String
    }

    private var words: [Word] = []
    private var name: String?
    private var text = String.UnicodeScalarView()
    private var isBegun = false
    private var isQuoted = false
    private var isEscaped = false

    mutating func read(_ scalar: Unicode.Scalar) {
        if isEscaped {
            text.append(Self.escapes.first { $0.letter == scalar }?.meaning ?? scalar)
            isEscaped = false
            return
        }
        switch scalar {
        case "\\":
            isEscaped = true
            isBegun = true
        case "\"":
            isQuoted.toggle()
            isBegun = true
        case " " where !isQuoted: endWord()
        case "=" where !isQuoted && name == nil && !text.isEmpty:
            name = String(text)
            text = String.UnicodeScalarView()
        default:
            text.append(scalar)
            isBegun = true
        }
    }

    mutating func finish(_ line: String) throws(CallError) -> [Word] {
        guard !isQuoted, !isEscaped else { throw CallError(.invalidArguments, "unbalanced quotes: \(line)") }
        endWord()
        return words
    }

    private mutating func endWord() {
        if isBegun { words.append(Word(name: name, text: String(text))) }
        name = nil
        text = String.UnicodeScalarView()
        isBegun = false
    }

    static let escapes: [(letter: Unicode.Scalar, meaning: Unicode.Scalar)] = [("n", "\n"), ("r", "\r"), ("t", "\t")]

    /// The parts of a line between separators that stand outside quotes.
    package static func parts(of line: String, at separator: String) -> [String] {
        var parts = [String.UnicodeScalarView()]
        var isQuoted = false
        var isEscaped = false
        var rest = line.unicodeScalars[...]
        while let scalar = rest.first {
            if !isQuoted, !isEscaped, rest.starts(with: separator.unicodeScalars) {
                parts.append(String.UnicodeScalarView())
                rest = rest.dropFirst(separator.unicodeScalars.count)
                continue
            }
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = scalar == "\\" && !isEscaped
            parts[parts.count - 1].append(scalar)
            rest = rest.dropFirst()
        }
        return parts.map { String($0) }
    }
}

extension String {
    /// This text as one word of a line.
    package var quoted: String {
        let special: Set<Unicode.Scalar> = [" ", "\"", "\\", ";", "=", "\n", "\r", "\t"]
        guard isEmpty || unicodeScalars.contains(where: special.contains) else { return self }
        var text = "\""
        for scalar in unicodeScalars {
            if let escape = WordReader.escapes.first(where: { $0.meaning == scalar }) {
                text.unicodeScalars.append("\\")
                text.unicodeScalars.append(escape.letter)
                continue
            }
            if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }
}
