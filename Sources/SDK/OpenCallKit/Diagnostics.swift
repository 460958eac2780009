// Lines for the developer of a provider, on standard error.

internal import Glibc

enum Diagnostics {
    static func note(_ text: String) {
        let line = Array("OpenCallKit: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
