// FolderTree: a folder and all that is below it, filled by a program that is not trusted.

public import EventLoop
internal import Glibc

/// Measures and removes folders without leaving them: links are never followed, and the work is bounded, whatever is
/// inside and whoever changes it meanwhile.
public enum FolderTree {
    /// How much a folder holds.
    public struct Size: Hashable, Sendable {
        /// What its files take on the disk, in bytes.
        public var bytes: UInt64 = 0
        /// How many files and folders it has.
        public var entries = 0
        /// Whether it has more than was asked for, is deeper than `maximumDepth`, or has a folder that stays closed.
        public var isBeyondLimit = false

        /// The size of an empty folder.
        public init() {}
    }

    /// Folders within folders that are measured.
    public static let maximumDepth = 32

    /// Measures a folder; one that is missing is empty.
    ///
    /// - Parameter limit: How many entries are counted at most.
    /// - Throws: the failed call; `open` with `ENOTDIR` or `ELOOP` if there is a file or a link in its place.
    public static func size(of path: String, limit: Int) throws(SystemError) -> Size {
        var size = Size()
        let opened: Int32?
        do throws(SystemError) {
            opened = try open(path, toMeasure)
        } catch {
            guard error.code == EACCES else { throw error }
            size.isBeyondLimit = true
            return size
        }
        guard let folder = opened else { return size }
        defer { close(folder) }
        measure(folder, depth: 1, limit, &size)
        return size
    }

    /// Removes what is in a folder, and leaves the folder itself; one that is missing is empty.
    ///
    /// - Throws: the failed call, naming what could not be removed.
    public static func empty(_ path: String) throws(SystemError) {
        guard let folder = try open(path, toRemove) else { return }
        defer { close(folder) }
        // What is too deep comes to the surface, and is removed in the next turn.
        var risen = 0
        repeat {
            let before = risen
            try clear(folder, named: path, depth: 1, surface: folder, &risen)
            if risen == before { return }
        } while true
    }

    /// Removes a folder and what is in it, or does nothing if there is none.
    ///
    /// - Throws: the failed call, naming what could not be removed.
    public static func remove(_ path: String) throws(SystemError) {
        try empty(path)
        if rmdir(path) != 0, errno != ENOENT { throw .last("rmdir \(path)") }
    }

    // MARK: one folder

    private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

    /// The rights that the owner needs in a folder. Who owns a folder can take them from everybody, even from itself, and
    /// then neither see what is in it nor remove it until it gives them back.
    private static let toMeasure: mode_t = 0o500
    private static let toRemove: mode_t = 0o700

    private static func open(_ path: String, _ rights: mode_t) throws(SystemError) -> Int32? {
        guard !path.utf8.contains(0) else { throw SystemError(call: "open", code: EINVAL) }
        let folder = openFolder(Array(path.utf8CString), in: AT_FDCWD, rights)
        if folder < 0, errno == ENOENT { return nil }
        guard folder >= 0 else { throw .last("open \(path)") }
        return folder
    }

    /// Opens a folder in a folder, and gives the owner the rights that it lacks.
    private static func openFolder(_ name: [CChar], in folder: Int32, _ rights: mode_t) -> Int32 {
        var inner = openat(folder, name, flags)
        if inner < 0, errno == EACCES, fchmodat(folder, name, 0o700, AT_SYMLINK_NOFOLLOW) == 0 {
            inner = openat(folder, name, flags)
        }
        guard inner >= 0 else { return inner }
        var status = stat()
        if fstat(inner, &status) == 0, status.st_mode & rights != rights {
            _ = fchmod(inner, status.st_mode & 0o7777 | rights)
        }
        return inner
    }

    /// The next entries of a folder, at most 256; none at its end.
    private static func names(_ entries: OpaquePointer) -> [[CChar]] {
        var names: [[CChar]] = []
        while names.count < 256, let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) {
                    Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
                }
            }
            let isItself = name.count == 2 && name[0] == 0x2E
            let isParent = name.count == 3 && name[0] == 0x2E && name[1] == 0x2E
            if !isItself, !isParent { names.append(name) }
        }
        return names
    }

    /// Lends a stream of the entries of an open folder.
    ///
    /// - Returns: false if the folder cannot be searched.
    private static func withEntries(_ folder: Int32, _ body: (OpaquePointer) -> Void) -> Bool {
        let copy = openat(folder, ".", flags)
        guard copy >= 0 else { return false }
        guard let entries = fdopendir(copy) else {
            close(copy)
            return false
        }
        defer { closedir(entries) }
        body(entries)
        return true
    }

    private static func measure(_ folder: Int32, depth: Int, _ limit: Int, _ size: inout Size) {
        let isSearched = withEntries(folder) { entries in
            while case let names = names(entries), !names.isEmpty, !size.isBeyondLimit {
                for name in names {
                    var status = stat()
                    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                        if errno == EACCES { return size.isBeyondLimit = true }
                        continue
                    }
                    size.entries += 1
                    size.bytes += UInt64(clamping: status.st_blocks) * 512
                    guard size.entries <= limit else { return size.isBeyondLimit = true }
                    guard status.st_mode & S_IFMT == S_IFDIR else { continue }
                    guard depth < maximumDepth else { return size.isBeyondLimit = true }
                    let inner = openFolder(name, in: folder, toMeasure)
                    if inner < 0, errno == EACCES { return size.isBeyondLimit = true }
                    guard inner >= 0 else { continue }
                    defer { close(inner) }
                    measure(inner, depth: depth + 1, limit, &size)
                    if size.isBeyondLimit { return }
                }
            }
        }
        // Whoever filled it may have closed it again meanwhile.
        if !isSearched { size.isBeyondLimit = true }
    }

    /// Removes what is in a folder. Folders that are too deep are moved to the surface instead.
    private static func clear(
        _ folder: Int32, named path: String, depth: Int, surface: Int32, _ risen: inout Int
    ) throws(SystemError) {
        var failure: SystemError?
        let isSearched = withEntries(folder) { entries in
            while failure == nil, case let names = names(entries), !names.isEmpty {
                for name in names where failure == nil {
                    do throws(SystemError) {
                        try remove(name, in: folder, named: path, depth: depth, surface: surface, &risen)
                    } catch {
                        failure = error
                    }
                }
            }
        }
        if let failure { throw failure }
        if !isSearched { throw .last("open in \(path)") }
    }

    private static func remove(
        _ name: [CChar], in folder: Int32, named path: String, depth: Int, surface: Int32, _ risen: inout Int
    ) throws(SystemError) {
        if unlinkat(folder, name, 0) == 0 || errno == ENOENT { return }
        guard errno == EISDIR || errno == EPERM else { throw .last("unlink in \(path)") }
        let inner = openFolder(name, in: folder, toRemove)
        guard inner >= 0 else { throw .last("open in \(path)") }
        defer { close(inner) }
        if depth >= maximumDepth {
            risen += 1
            // A name that nobody who writes there can have taken.
            if renameat(folder, name, surface, "risen-\(UInt64.random(in: 0 ... .max))") == 0 { return }
            throw .last("rename in \(path)")
        }
        try clear(inner, named: path, depth: depth + 1, surface: surface, &risen)
        guard unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT else { throw .last("rmdir in \(path)") }
    }
}
