// HeldFolder: a folder that this process's sandbox lets it write to, and whether it is still the one with that name.

internal import EventLoop
internal import Glibc

/// A folder as it was when this process began. A sandbox has that very folder: one that takes its place is out of
/// reach, and so is one that could not be had then. A process that is started anew gets what is there by then.
public struct HeldFolder: Sendable {
    /// What has become of a folder.
    public enum Change: Hashable, Sendable {
        /// It is the same, and can be written to as far as the kernel tells.
        case none
        /// It was removed, or another file has its name.
        case replaced
        /// It could not be had at the beginning, or lies on a file system that is read-only here.
        case unusable
    }

    private enum Standing: Hashable {
        case file(device: UInt64, inode: UInt64, isFolder: Bool)
        case missing(Int32)
    }

    public let path: String
    private let beginning: Standing

    /// Makes the folder and its missing parents, accessible to the user only, as far as that is possible.
    ///
    /// - Parameter path: An absolute file name, which may be a symbolic link to the folder.
    public init(making path: String) {
        self.path = path
        try? FileWriter.makeFolder(path)
        beginning = Self.standing(of: path)
    }

    /// Whether there was a folder at the beginning.
    public var exists: Bool {
        if case .file(_, _, let isFolder) = beginning { isFolder } else { false }
    }

    /// What has become of it by now. May block, as the disk does.
    public var change: Change {
        let now = Self.standing(of: path)
        switch now {
        case .missing(ENOENT), .missing(ENOTDIR), .file: if now != beginning { return .replaced }
        // Nothing is known of it.
        case .missing: break
        }
        guard exists else { return .unusable }
        var system = statvfs()
        guard statvfs(path, &system) == 0 else { return .none }
        return system.f_flag & UInt(ST_RDONLY) == 0 ? .none : .unusable
    }

    private static func standing(of path: String) -> Standing {
        do throws(SystemError) {
            let status = try FileStatus(path)
            return .file(device: status.version.device, inode: status.version.inode, isFolder: status.kind == .folder)
        } catch {
            return .missing(error.code)
        }
    }
}
