// Looking at a file that a stranger may have put there: never blocks, never reads more than was asked for.

internal import CDBus
internal import Glibc

/// What a file is, as far as a careful reader wants to know.
public struct FileStatus: Sendable, Hashable {
    public enum Kind: String, Sendable { case file, directory, fifo, socket, device, other }
    public let kind: Kind
    public let size: UInt64
    public let owner: UInt32
    public let isWorldWritable: Bool
    /// Has the sticky bit, like /tmp: others can add files, but not replace ours.
    public let isSticky: Bool
    /// Changes whenever another file takes this one's place or it is written anew.
    public let version: String
}

/// An open file. Closed when dropped.
public final class FileReader: Sendable {
    private let descriptor: Int32
    public let status: FileStatus

    /// Opens for reading; a FIFO or device does not block.
    public init(_ path: String) throws(SystemError) {
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw SystemError(call: "open", code: errno) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw SystemError(call: "fstat", code: code)
        }
        status = FileStatus(information)
    }

    deinit { _ = Glibc.close(descriptor) }

    /// Up to `count` bytes from `offset`; fewer at the end of the file.
    public func read(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let position = off_t(clamping: offset) + off_t(filled)
            let got = bytes[filled...].withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, position) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw SystemError(call: "pread", code: errno) }
            guard got > 0 else { break }
            filled += got
        }
        return Array(bytes.prefix(filled))
    }

    /// The names in a folder, sorted, at most `limit`; `.` and `..` left out.
    public static func names(in folder: String, limit: Int) throws(SystemError) -> [String] {
        guard let stream = opendir(folder) else { throw SystemError(call: "opendir", code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Closes a descriptor that was handed over as a number.
    public static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    public static var ownUserID: UInt32 { getuid() }
}

extension FileStatus {
    fileprivate init(_ information: stat) {
        kind =
            switch information.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            case S_IFCHR, S_IFBLK: .device
            default: .other
            }
        size = UInt64(clamping: information.st_size)
        owner = information.st_uid
        isWorldWritable = information.st_mode & S_IWOTH != 0
        isSticky = information.st_mode & S_ISVTX != 0
        version =
            "\(information.st_dev):\(information.st_ino):\(information.st_size):\(information.st_mtim.tv_sec).\(information.st_mtim.tv_nsec)"
    }
}
