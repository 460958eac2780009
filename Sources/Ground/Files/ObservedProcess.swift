// ObservedProcess: one process, as /proc shows it.

internal import CSystem
public import EventLoop
internal import Glibc

/// A process and no other: what is read is of the process that had the id when this was made, or it is an error.
/// Whoever concludes anything from what was read asks `isAlive` afterwards.
public final class ObservedProcess: Sendable {
    /// More than any file of /proc that is read here has, in bytes.
    private static let longest = 1 << 20

    public let id: UInt32
    private let pidfd: Int32
    private let ownsDescriptor: Bool
    /// The folder /proc/PID.
    private let folder: Int32

    /// Opens the process.
    ///
    /// - Parameters:
    ///   - id: A process id.
    ///   - descriptor: A pidfd of it, which must stay open as long as this lives; nil opens one.
    /// - Throws: the failed call; `pidfd` with `ESRCH` if the descriptor is of another process.
    public init(_ id: UInt32, descriptor: Int32? = nil) throws(SystemError) {
        guard let number = Int32(exactly: id), number > 0 else { throw SystemError(call: "pidfd_open", code: EINVAL) }
        let pidfd = descriptor ?? ock_pidfd_open(number)
        guard pidfd >= 0 else { throw .last("pidfd_open") }
        do throws(SystemError) {
            if descriptor != nil, try Self.process(of: pidfd) != id { throw SystemError(call: "pidfd", code: ESRCH) }
            folder = open("/proc/\(id)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if folder < 0 { throw .last("open") }
        } catch {
            if descriptor == nil { close(pidfd) }
            throw error
        }
        self.id = id
        self.pidfd = pidfd
        ownsDescriptor = descriptor == nil
    }

    deinit {
        close(folder)
        if ownsDescriptor { close(pidfd) }
    }

    /// Whether the process has not ended yet; then all that was read before is its own.
    public var isAlive: Bool {
        var state = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) == 0
    }

    /// The effective user of the process.
    public func user() throws(SystemError) -> UInt32 {
        var status = stat()
        guard fstat(folder, &status) == 0 else { throw .last("fstat") }
        return status.st_uid
    }

    /// The time when the process was started, in ticks since the system was.
    public func started() throws(SystemError) -> UInt64 {
        guard let ticks = ProcessStat(try text(of: "stat"))[22] else { throw SystemError(call: "stat", code: EBADMSG) }
        return ticks
    }

    /// The ticks since the system was started.
    public static var ticks: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let perSecond = ProcessStat.ticksPerSecond
        return UInt64(time.tv_sec) * perSecond + UInt64(time.tv_nsec) * perSecond / 1_000_000_000
    }

    /// The name of the program's file; that of the process, which the process chooses, if the file is not to be told.
    public var program: String {
        if let path = link("exe"), let name = path.split(separator: "/").last {
            return name.hasSuffix(" (deleted)") ? String(name.dropLast(10)) : String(name)
        }
        let name = (try? text(of: "comm", longest: 64)) ?? ""
        return name.hasSuffix("\n") ? String(name.dropLast()) : name
    }

    /// Returns a file of /proc/PID, such as `cgroup`. Throws for one of more than a mebibyte.
    public func text(of name: String) throws(SystemError) -> String { try text(of: name, longest: Self.longest) }

    private func text(of name: String, longest: Int) throws(SystemError) -> String {
        let file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw .last("open") }
        defer { close(file) }
        return String(decoding: try Self.bytes(of: file, longest: longest), as: UTF8.self)
    }

    /// The target of a link of /proc/PID, such as `ns/mnt`; nil if it is not to be read.
    public func link(_ name: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { readlinkat(folder, name, $0, bytes.count) } ?? -1
        }
        return length > 0 ? String(decoding: buffer.prefix(length), as: UTF8.self) : nil
    }

    /// Returns a file in the root folder of the process, nil if there is none.
    ///
    /// - Throws: the failed call; `SystemError.notRegular` for anything but a regular file, a symbolic link among others,
    ///   and `read` with `EFBIG` for one of more than `longest` bytes.
    public func file(inRoot name: String, longest: Int) throws(SystemError) -> String? {
        let root = openat(folder, "root", ock_open_nothing | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw .last("open") }
        defer { close(root) }
        // A descriptor that opens nothing yet tells what there is; opening a device or a FIFO can have effects.
        let found = openat(root, name, ock_open_nothing | O_NOFOLLOW | O_CLOEXEC)
        if found < 0, errno == ENOENT { return nil }
        guard found >= 0 else { throw .last("open") }
        defer { close(found) }
        var status = stat()
        guard fstat(found, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .notRegular()
        }
        guard status.st_size <= longest else { throw SystemError(call: "read", code: EFBIG) }
        let file = open("/proc/self/fd/\(found)", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { throw .last("open") }
        defer { close(file) }
        return String(decoding: try Self.bytes(of: file, longest: longest), as: UTF8.self)
    }

    private static func process(of pidfd: Int32) throws(SystemError) -> UInt32? {
        let file = open("/proc/self/fdinfo/\(pidfd)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .last("open") }
        defer { close(file) }
        let text = String(decoding: try bytes(of: file, longest: 4_096), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("Pid:") }
        return line?.split(whereSeparator: \.isWhitespace).last.flatMap { UInt32($0) }
    }

    private static func bytes(of file: Int32, longest: Int) throws(SystemError) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let length = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            if length < 0, errno == EINTR { continue }
            guard length >= 0 else { throw .last("read") }
            if length == 0 { return all }
            all += buffer.prefix(length)
            guard all.count <= longest else { throw SystemError(call: "read", code: EFBIG) }
        }
    }
}

extension ObservedProcess {
    /// This process.
    public static func current() throws(SystemError) -> ObservedProcess { try ObservedProcess(UInt32(getpid())) }
}
