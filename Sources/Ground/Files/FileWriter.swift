// FileWriter: replaces a small file atomically, or adds a line to one. Readers of a replaced file see the old contents or
// the new, never a part.

internal import CSystem
public import EventLoop
internal import Glibc

public enum FileWriter {
    /// Makes a folder and its missing parents, accessible to the user only.
    public static func makeFolder(_ path: String) throws(SystemError) {
        var partial = ""
        for element in path.split(separator: "/") {
            partial += "/" + element
            if mkdir(partial, 0o700) != 0, errno != EEXIST { throw SystemError(call: "mkdir \(partial)", code: errno) }
        }
    }

    /// Makes a folder and its missing parents, and takes the rights of all others away from one that exists.
    ///
    /// - Throws: the failed call; `open` with `EPERM` if the folder is another user's, and with `ENOTDIR` or `ELOOP` if
    ///   there is a file or a symbolic link in its place.
    public static func makePrivateFolder(_ path: String) throws(SystemError) {
        try makeFolder(path)
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open \(path)") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last("fstat \(path)") }
        guard status.st_uid == geteuid() else { throw SystemError(call: "open \(path)", code: EPERM) }
        guard status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o700) == 0 else { throw .last("fchmod \(path)") }
    }

    /// Writes `bytes` to a temporary file beside `path` and renames it to `path`.
    ///
    /// - Parameters:
    ///   - durably: Whether to flush the file to the disk, which may take a while.
    ///   - copy: The name that the replaced file is to have; nil removes it. If it cannot be kept, nothing is replaced.
    public static func replace(
        _ path: String, with bytes: [UInt8], durably: Bool = false, keepingAs copy: String? = nil
    ) throws(SystemError) {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError(call: "open \(temporary)", code: errno) }
        guard write(bytes, to: descriptor) else {
            let code = errno
            close(descriptor)
            unlink(temporary)
            throw SystemError(call: "write \(temporary)", code: code)
        }
        if durably, fsync(descriptor) != 0 {
            let code = errno
            close(descriptor)
            unlink(temporary)
            throw SystemError(call: "fsync \(temporary)", code: code)
        }
        close(descriptor)
        do throws(SystemError) {
            if let copy { try keep(path, as: copy) }
            try rename(temporary, to: path)
        } catch {
            unlink(temporary)
            throw error
        }
        if durably { try flushFolder(of: path) }
    }

    /// Gives the file another name beside its own, or, on a file system without links, in place of it.
    private static func keep(_ path: String, as copy: String) throws(SystemError) {
        if link(path, copy) == 0 || errno == ENOENT { return }
        try rename(path, to: copy)
    }

    /// Removes a file, or does nothing if there is none.
    /// - Parameter durably: Whether to flush its folder to the disk, which may take a while.
    public static func remove(_ path: String, durably: Bool = false) throws(SystemError) {
        if unlink(path) != 0 {
            if errno == ENOENT { return }
            throw .last("unlink \(path)")
        }
        if durably { try flushFolder(of: path) }
    }

    /// Gives a file another name, in place of a file that has it.
    public static func rename(_ path: String, to name: String) throws(SystemError) {
        guard Glibc.rename(path, name) == 0 else { throw .last("rename \(path)") }
    }

    /// Lets two files or folders change their names at one moment.
    public static func exchange(_ path: String, with other: String) throws(SystemError) {
        guard ock_exchange(path, other) == 0 else { throw .last("renameat2 \(other)") }
    }

    /// Adds a line to a file that has only whole lines, and flushes it to the disk. A line that cannot be written is taken
    /// away again; after a power cut, the last line may have no end.
    ///
    /// - Returns: false, without a change, if there is no such file.
    public static func appendLine(_ line: String, to path: String) throws(SystemError) -> Bool {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if [ENOENT, ELOOP].contains(errno) { return false }
            throw .last("open \(path)")
        }
        defer { close(descriptor) }
        var status = stat()
        var last: UInt8 = 0
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
            pread(descriptor, &last, 1, status.st_size - 1) == 1, last == UInt8(ascii: "\n")
        else { return false }
        guard write(Array((line + "\n").utf8), to: descriptor), fsync(descriptor) == 0 else {
            let error = SystemError.last("write \(path)")
            ftruncate(descriptor, status.st_size)
            throw error
        }
        return true
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    /// Flushes to the disk which names the folder of a file has.
    public static func flushFolder(of path: String) throws(SystemError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open \(folder)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .last("fsync \(folder)") }
    }
}
