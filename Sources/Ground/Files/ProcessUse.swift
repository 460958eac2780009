// ProcessUse: the processor time, memory and hidden files of another process, as /proc shows them.

public import EventLoop
internal import Glibc

/// What a process of this user takes at one moment.
public struct ProcessUse: Hashable, Sendable {
    /// Processor time of all its threads since its start.
    public var processorTime: Duration
    /// Memory that it has touched, swapped out or not, in bytes.
    public var memory: UInt64
    /// What files without a name that it has open take, in memory or on a disk, in bytes.
    public var namelessFiles: UInt64

    public init(processorTime: Duration, memory: UInt64, namelessFiles: UInt64) {
        (self.processorTime, self.memory, self.namelessFiles) = (processorTime, memory, namelessFiles)
    }

    /// Descriptors of a process that are looked at.
    private static let maximumDescriptors = 4_096
    /// Threads of a process that are looked at.
    private static let maximumThreads = 4_096

    /// - Throws: the failed call, if the process has ended for instance.
    public init(of pid: Int32) throws(SystemError) {
        let times = ProcessStat(try Self.text("/proc/\(pid)/stat"))
        // Those of user and of system code.
        processorTime = .milliseconds(((times[14] ?? 0) + (times[15] ?? 0)) * 1_000 / ProcessStat.ticksPerSecond)
        let thread = Self.thread(of: pid)
        let status = try Self.text("\(thread)/status")
        memory = Self.kilobytes("VmRSS:", in: status) * 1_024 + Self.kilobytes("VmSwap:", in: status) * 1_024
        namelessFiles = Self.namelessFiles(in: "\(thread)/fd")
    }

    /// The folder of a thread of the process that has not ended. When the first thread ends before the others, the
    /// folder of the process shows neither its memory nor its files.
    private static func thread(of pid: Int32) -> String {
        let process = "/proc/\(pid)"
        if hasMemory(process) { return process }
        let threads = (try? FolderListing.names(in: "\(process)/task", limit: maximumThreads) { _ in true }) ?? []
        return threads.lazy.map { "\(process)/task/\($0)" }.first(where: hasMemory) ?? process
    }

    private static func hasMemory(_ thread: String) -> Bool {
        kilobytes("VmRSS:", in: (try? text("\(thread)/status")) ?? "") > 0
    }

    private static func kilobytes(_ key: String, in status: String) -> UInt64 {
        let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
        return line.flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }.flatMap { UInt64($0) } ?? 0
    }

    private static func namelessFiles(in folder: String) -> UInt64 {
        let names = (try? FolderListing.names(in: folder, limit: maximumDescriptors) { _ in true }) ?? []
        var seen: Set<[UInt64]> = []
        return names.reduce(0) { total, name in
            var status = stat()
            guard fstatat(AT_FDCWD, "\(folder)/\(name)", &status, 0) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_nlink == 0, seen.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted
            else { return total }
            return total + UInt64(clamping: status.st_blocks) * 512
        }
    }

    private static func text(_ path: String) throws(SystemError) -> String {
        String(decoding: try FileReader(path).bytes(at: 0, count: 16_384), as: UTF8.self)
    }
}
