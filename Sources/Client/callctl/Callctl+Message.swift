// Prints help, the version, and what is wrong with the arguments.

import ArgumentParser
import Glibc

extension Callctl {
    /// The width of help, on every terminal and in every file.
    private static let helpWidth = 80

    /// Prints what the parser has to say, and exits.
    static func finish(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        let text = fullMessage(for: error, columns: helpWidth)
        let width = code.isSuccess ? helpWidth : Terminal.errorWidth()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).map { line in
            if line.hasPrefix("USAGE: ") || line.hasPrefix("Usage: ") { return line.brokenBetweenOptions(to: width) }
            // The parser has broken the other lines of help. Scripts for completion are not broken at all.
            return code.isSuccess ? line : line.fitted(to: width)
        }
        if !text.isEmpty {
            try? Output.write(
                lines.joined(separator: "\n") + "\n", to: code.isSuccess ? STDOUT_FILENO : STDERR_FILENO)
        }
        Glibc.exit(code.rawValue)
    }
}

extension String {
    /// Returns the words of a usage in lines that fit. What is in brackets, such as `[--provider <provider>]`, stays
    /// together.
    fileprivate func brokenBetweenOptions(to width: Int?) -> String {
        let noBreak = "\u{A0}"
        var depth = 0
        let kept = map { character in
            depth += character == "[" ? 1 : character == "]" ? -1 : 0
            return character == " " && depth > 0 ? noBreak : String(character)
        }
        return kept.joined().wrapped(to: width).replacing(noBreak, with: " ")
    }
}
