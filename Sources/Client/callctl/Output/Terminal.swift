// The terminal that the output goes to: its width, and whether it shows colors.

import Files
import Glibc

struct Terminal: Sendable, Equatable {
    /// The number of columns; nil for a pipe or a file, which have no limit.
    var width: Int?
    var showsColors: Bool
    /// Whether the locale's characters are Unicode; not so with `LC_ALL=C`.
    var showsUnicode = true

    static let plain = Terminal(width: nil, showsColors: false)

    /// Returns the terminal on stdout. `COLUMNS` overrides its width; `NO_COLOR` and `TERM=dumb` turn colors off.
    static func current() -> Terminal {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let noColor = environment("NO_COLOR").map { !$0.isEmpty } ?? false
        return Terminal(
            width: columns ?? (isTerminal ? windowWidth(of: STDOUT_FILENO) : nil),
            showsColors: isTerminal && !noColor && environment("TERM") != "dumb", showsUnicode: localeIsUnicode)
    }

    /// Where no locale is set, as in many containers, texts are UTF-8 all the same.
    static let localeIsUnicode: Bool = {
        guard ["LC_ALL", "LC_CTYPE", "LANG"].contains(where: { environment($0)?.isEmpty == false }) else { return true }
        setlocale(LC_CTYPE, "")
        return nl_langinfo(Int32(CODESET)).map { String(cString: $0) } == "UTF-8"
    }()

    /// Returns the width of the terminal on stderr; nil for a pipe or a file, where a message is one line for scripts.
    static func errorWidth() -> Int? {
        isatty(STDERR_FILENO) == 1 ? columns ?? windowWidth(of: STDERR_FILENO) : nil
    }

    /// The width that `COLUMNS` demands.
    private static var columns: Int? {
        environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns the width of a terminal that can redraw a line; nil for any other output.
    static func lineWidth(of descriptor: Int32) -> Int? {
        isatty(descriptor) == 1 && environment("TERM") != "dumb" ? windowWidth(of: descriptor) : nil
    }

    private static func windowWidth(of descriptor: Int32) -> Int? {
        TerminalWindow.columns(of: descriptor) ?? 80
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}

/// The style of a piece of text on a terminal that shows colors.
enum Style: String, Sendable {
    case plain = ""
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"

    func applied(to text: String, on terminal: Terminal) -> String {
        guard terminal.showsColors, self != .plain, !text.isEmpty else { return text }
        return "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
    }
}
