// The progress of a long operation: one line on a terminal, redrawn repeatedly.

import Glibc

/// A count that grows towards a total, which may be unknown.
struct Progress: Sendable, Equatable {
    let title: String
    let done: UInt64
    /// 0 = unknown.
    let total: UInt64

    /// Returns `loading Spam  [#########           ]  4,500,000 of 10,000,000`, without the bar if the total is unknown
    /// or wrong.
    func text(in width: Int) -> String {
        let isKnown = total > 0 && done <= total
        let count = isKnown ? "\(done.grouped) of \(total.grouped)" : done.counted("entry", "entries")
        let title = title.printable
        let room = width - title.displayWidth - count.displayWidth - 6
        guard isKnown, room >= 5 else { return "\(title)  \(count)".truncated(to: width) }
        let length = min(room, 40)
        // The bar is never full before the end.
        let filled = min(Int(Double(done) / Double(total) * Double(length)), length)
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: length - filled)
        return "\(title)  [\(bar)]  \(count)"
    }
}

/// A line on stderr that can be redrawn; nothing if stderr is not such a terminal.
struct ProgressLine: Sendable {
    /// Nil if nothing is shown.
    let width: Int?
    private var isShown = false

    init(width: Int?) { self.width = width }

    static func current() -> ProgressLine { ProgressLine(width: Terminal.lineWidth(of: STDERR_FILENO)) }

    mutating func show(_ progress: Progress) {
        guard let width else { return }
        isShown = true
        try? Output.write("\r" + progress.text(in: width - 1) + "\u{1B}[K", to: STDERR_FILENO)
    }

    /// Clears the line for the next output.
    mutating func clear() {
        guard isShown else { return }
        isShown = false
        try? Output.write("\r\u{1B}[K", to: STDERR_FILENO)
    }
}
