// The width of text on a terminal, and how to shorten it.

import CallModel

extension Character {
    /// Columns on a terminal. Terminals differ where signs are joined to one; no line is broken by those that make it
    /// narrower.
    var displayWidth: Int {
        let widest = unicodeScalars.reduce(0) { $1.standsBeside ? $0 : max($0, $1.displayWidth) }
        return unicodeScalars.reduce(widest) { $1.standsBeside ? $0 + $1.displayWidth : $0 }
    }
}

extension Unicode.Scalar {
    /// Whether it has columns of its own behind those of the sign that it belongs to: a vowel of Devanagari, the tone of a
    /// skin.
    fileprivate var standsBeside: Bool {
        properties.generalCategory == .spacingMark || properties.isEmojiModifier
    }

    fileprivate var displayWidth: Int {
        if value == 0xFE0F { return 2 }  // selects the emoji form of the preceding character
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return isWide ? 2 : 1
        }
    }

    /// True for East Asian Wide and Fullwidth (UAX #11), and for emoji.
    private var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F1E6...0x1F1FF, 0x20000...0x3FFFD:
            true
        default: properties.isEmojiPresentation
        }
    }
}

extension String {
    /// Columns on a terminal.
    var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// Returns this text, shortened and with `…` at its end if it does not fit.
    func truncated(to width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        var room = width - 1
        let head = prefix { character in
            room -= character.displayWidth
            return room >= 0
        }
        return head + "…"
    }

    /// This text in ASCII unless `isUnicode`: `.` for `…`, `>` for an arrow, and `?` for any other sign.
    func inCharacters(whereUnicode isUnicode: Bool) -> String {
        if isUnicode || utf8.allSatisfy({ $0 < 0x80 }) { return self }
        return String(map { $0.isASCII ? $0 : $0 == "…" ? "." : $0 == "→" ? ">" : "?" })
    }

    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }

    /// This text with a replacement character for each control or bidirectional-override character.
    var printable: String {
        guard unicodeScalars.contains(where: \.isUnsafeInText) else { return self }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: unicodeScalars.map { $0.isUnsafeInText ? "\u{FFFD}" : $0 })
        return String(scalars)
    }
}
