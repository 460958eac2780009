// Pager: shows a long result page by page.

import Glibc

enum Pager {
    /// No terminal has fewer. On a larger one, less ends at once if all of it is seen.
    private static let lines = 24

    /// Shows the text with `$PAGER`, or with less.
    ///
    /// - Returns: false if the text is short, if there is no terminal, or if there is no pager.
    static func show(_ text: String) -> Bool {
        guard isatty(STDOUT_FILENO) == 1, isatty(STDIN_FILENO) == 1, environment("TERM") != "dumb",
            text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) >= Self.lines, let program
        else { return false }
        // less leaves the text on the screen, with its colors.
        setenv("LESS", "FRX", 0)
        guard let pipe = popen(program, "w") else { return false }
        fputs(text, pipe)
        // To leave the pager before the end is no error.
        return pclose(pipe) >> 8 != notFound
    }

    /// The exit code of a shell that has not found the program.
    private static let notFound: Int32 = 127

    /// The command of the pager; nil if the user wants none.
    private static var program: String? {
        guard let chosen = environment("PAGER") else { return "less" }
        return chosen.isEmpty || chosen == "cat" ? nil : chosen
    }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
