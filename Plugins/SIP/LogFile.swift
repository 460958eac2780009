// LogFile: standard error.

import Glibc

enum LogFile {
    static func write(_ text: String) {
        let bytes = Array("SIP \(text)".utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
