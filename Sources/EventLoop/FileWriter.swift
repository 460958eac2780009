// Writing a small file whole: readers see the old one or the new one, never a part.

internal import CDBus
internal import Glibc

public enum FileWriter {
    /// Makes a folder and those above it that are missing, for the user alone.
    public static func makeFolder(_ path: String) throws(SystemError) {
        var partial = ""
        for element in path.split(separator: "/") {
            partial += "/" + element
            if mkdir(partial, 0o700) != 0, errno != EEXIST { throw SystemError(call: "mkdir \(partial)", code: errno) }
        }
    }

    /// Writes `bytes` beside `path` and renames.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError(call: "open \(temporary)", code: errno) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                let code = errno
                close(descriptor)
                unlink(temporary)
                throw SystemError(call: "write \(temporary)", code: code)
            }
            written += count
        }
        close(descriptor)
        guard rename(temporary, path) == 0 else { throw SystemError(call: "rename \(path)", code: errno) }
    }
}
