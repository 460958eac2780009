// TerminalQuestion: asks the person at the terminal.

import CallModel
import EventLoop
import Glibc

/// Asks on stderr and reads the answer from stdin, if both are a terminal.
@LoopActor
enum TerminalQuestion {
    nonisolated static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Returns what is typed up to Enter, without showing it; nil if the person gives up with Ctrl-C or Ctrl-D.
    ///
    /// The terminal passes on each key, also Ctrl-C: it is as before when this returns.
    static func secret(_ question: String) throws(Failure) -> SecretBytes? {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { throw unreadable("tcgetattr") }
        var hidden = before
        cfmakeraw(&hidden)
        hidden.c_oflag = before.c_oflag
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { throw unreadable("tcsetattr") }
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            try? Output.write("\n", to: STDERR_FILENO)
        }
        try Output.write(question.printable + ": ", to: STDERR_FILENO)
        let secret = SecretBytes()
        var isFull = false
        while true {
            guard let key = nextByte() else { return nil }
            switch key {
            case Key.enter, Key.newLine:
                guard !isFull else { throw tooLong }
                return secret
            case Key.interrupt: return nil
            case Key.end where secret.count == 0: return nil
            case Key.backspace, Key.delete: secret.removeLast()
            case Key.kill:
                secret.removeAll()
                isFull = false
            default: isFull = !secret.append(key) || isFull
            }
        }
    }

    /// Returns what is typed up to Enter; nil at the end, such as with Ctrl-D. Bytes that are no text are left out.
    static func line(_ question: String) throws(Failure) -> String? {
        try Output.write("\(question.printable): ", to: STDERR_FILENO)
        var answer: [UInt8] = []
        while let byte = nextByte() {
            if byte == Key.newLine { return String(decoding: answer, as: UTF8.self).filter { $0 != "\u{FFFD}" } }
            if answer.count < AccountField.maximumSecret { answer.append(byte) }
        }
        try? Output.write("\n", to: STDERR_FILENO)
        return nil
    }

    /// Returns whether the answer begins with y.
    static func confirms(_ question: String) throws(Failure) -> Bool {
        try Output.write("\(question.printable) [y/N] ", to: STDERR_FILENO)
        var answer: [UInt8] = []
        while let byte = nextByte(), byte != Key.newLine { answer.append(byte) }
        return [UInt8(ascii: "y"), UInt8(ascii: "Y")].contains(answer.first)
    }

    /// Keys that are not part of the text.
    private enum Key {
        static let interrupt: UInt8 = 3
        static let end: UInt8 = 4
        static let backspace: UInt8 = 8
        static let newLine: UInt8 = 10
        static let enter: UInt8 = 13
        static let kill: UInt8 = 21
        static let delete: UInt8 = 127
    }

    /// Returns nil at the end. The loop has nothing else to do meanwhile.
    private static func nextByte() -> UInt8? { try? InputByte.next(of: STDIN_FILENO) }

    private static var tooLong: Failure {
        Failure(.refused, "what was typed is longer than \(AccountField.maximumSecret) bytes")
    }

    private static func unreadable(_ call: String) -> Failure {
        Failure(.refused, "the terminal cannot be read: \(SystemError(call: call, code: errno))")
    }
}
