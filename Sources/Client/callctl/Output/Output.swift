// Prints results to stdout, as text or as JSON.

import Glibc

/// Prints results. Callers make text from outside safe to print first, see `String.printable`.
struct Output: Sendable {
    let isJSON: Bool
    let terminal: Terminal

    /// Prints `text()` for people, or `json()` on one line.
    func result(_ text: @autoclosure () -> String, json: @autoclosure () -> JSON) throws(Failure) {
        let text = isJSON ? json().text : fitted(text().inCharacters(whereUnicode: terminal.showsUnicode))
        guard !text.isEmpty, isJSON || !Pager.show(text + "\n") else { return }
        try Self.write(text + "\n", to: STDOUT_FILENO)
    }

    /// Breaks lines that are too wide at spaces. Those with colors are parts of tables, which fit; a word that does not fit
    /// is left as it is, so that it can be copied.
    private func fitted(_ text: String) -> String {
        guard let width = terminal.width else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).map { line in
            let isLeft =
                line.contains("\u{1B}") || line.split(separator: " ").contains { String($0).displayWidth > width }
            return isLeft ? line : line.fitted(to: width)
        }.joined(separator: "\n")
    }

    /// Prints an error as `callctl: …` on stderr.
    static func complain(_ message: String) {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
        let text = "callctl: " + lines.joined(separator: "\n")
        let shown = text.inCharacters(whereUnicode: Terminal.localeIsUnicode)
        try? write(shown.fitted(to: Terminal.errorWidth()) + "\n", to: STDERR_FILENO)
    }

    /// Writes without a buffer, so that a line is visible at once and a closed output is detected.
    static func write(_ text: String, to descriptor: Int32) throws(Failure) {
        var bytes = Array(text.utf8)
        while !bytes.isEmpty {
            let count = Glibc.write(descriptor, bytes, bytes.count)
            if count < 0 {
                guard errno == EINTR else { throw Failure(.outputClosed, "the output cannot be written") }
                continue
            }
            bytes.removeFirst(count)
        }
    }
}
