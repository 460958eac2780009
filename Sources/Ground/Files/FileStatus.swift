// FileStatus: kind, permissions, owner, size and last change of a file.

public import EventLoop
internal import Glibc

public enum FileKind: Hashable, Sendable, CustomStringConvertible {
    case regular, folder, fifo, socket, characterDevice, blockDevice, other

    public var description: String {
        switch self {
        case .regular: "regular file"
        case .folder: "folder"
        case .fifo: "FIFO"
        case .socket: "socket"
        case .characterDevice: "character device"
        case .blockDevice: "block device"
        case .other: "special file"
        }
    }
}

/// The state of a file at one moment. Equal values mean the same file, unchanged as far as the kernel reports.
public struct FileStatus: Hashable, Sendable {
    public let kind: FileKind
    public let isWorldWritable: Bool
    public let isGroupWritable: Bool
    /// Whether nobody but the owner may read, write or run it.
    public let isPrivate: Bool
    /// Whether the entries of a folder can be renamed and removed by their owners only.
    public let isSticky: Bool
    /// A user id.
    public let owner: UInt32
    /// Which file it is, and when it changed.
    public let version: FileVersion
    /// In bytes.
    public var size: UInt64 { version.size }

    /// Reads the status of the file at `path` without opening it.
    ///
    /// - Parameter followingLinks: Whether a symbolic link stands for what it leads to. If not, it is `other`.
    public init(_ path: String, followingLinks: Bool = true) throws(SystemError) {
        guard !path.utf8.contains(0) else { throw SystemError(call: "stat", code: EINVAL) }
        var status = stat()
        guard fstatat(AT_FDCWD, path, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else {
            throw .last("stat")
        }
        self.init(status)
    }

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            case S_IFCHR: .characterDevice
            case S_IFBLK: .blockDevice
            default: .other
            }
        isWorldWritable = status.st_mode & S_IWOTH != 0
        isGroupWritable = status.st_mode & S_IWGRP != 0
        isPrivate = status.st_mode & 0o077 == 0
        isSticky = status.st_mode & S_ISVTX != 0
        owner = status.st_uid
        version = FileVersion(status)
    }

    /// The effective user of this process.
    public static var currentUser: UInt32 { geteuid() }

    /// Returns the absolute path of an existing file, without symbolic links.
    public static func resolve(_ path: String) throws(SystemError) -> String {
        guard !path.utf8.contains(0) else { throw SystemError(call: "realpath", code: EINVAL) }
        guard let resolved = realpath(path, nil) else { throw .last("realpath") }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
