// ControlGroup: bounds on the memory, threads and processor time of one process, where the kernel lets us set them.

public import EventLoop
internal import Glibc

/// The control groups below that of this process, in version 2 of the kernel's interface. They can be made where a
/// service manager has handed its group over to this process (`Delegate=`), and nowhere else.
public struct ControlGroupTree: Sendable {
    /// The group that was handed over.
    public let path: String

    /// The controllers that are needed, and one that older service managers do not hand over.
    private static let needed = ["memory", "pids"]
    private static let wanted = "cpu"

    /// Takes a group over: moves this process, which must be alone in it, into a group of its own below, since a group
    /// with processes passes no controllers on.
    ///
    /// - Parameter path: The folder of the group.
    /// - Throws: the failed call; `cgroup` with `EBUSY` if other processes are in the group, and with `ENOTSUP` if it
    ///   lacks a controller.
    public init(takingOver path: String) throws(SystemError) {
        self.path = path
        let offered = try Self.read("\(path)/cgroup.controllers").split { $0 == " " || $0 == "\n" }.map(String.init)
        guard Self.needed.allSatisfy(offered.contains) else { throw SystemError(call: "cgroup", code: ENOTSUP) }
        let own = String(getpid())
        guard try Self.read("\(path)/cgroup.procs").split(separator: "\n").map(String.init) == [own] else {
            throw SystemError(call: "cgroup", code: EBUSY)
        }
        let home = "\(path)/callkitd"
        if mkdir(home, 0o755) != 0, errno != EEXIST { throw .last("mkdir \(home)") }
        try Self.write(own, to: "\(home)/cgroup.procs")
        let used = Self.needed + (offered.contains(Self.wanted) ? [Self.wanted] : [])
        try Self.write(used.map { "+\($0)" }.joined(separator: " "), to: "\(path)/cgroup.subtree_control")
    }

    /// The folder of this process's group; nil if there is none of version 2.
    public static func ownGroup() -> String? {
        guard let groups = try? read("/proc/self/cgroup"), let mounts = try? read("/proc/self/mountinfo") else {
            return nil
        }
        return path(groups: groups, mounts: mounts)
    }

    /// The folder of the group that `/proc/self/cgroup` names, by `/proc/self/mountinfo`. The root is nobody's.
    static func path(groups: String, mounts: String) -> String? {
        let line = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }
        guard let group = line?.dropFirst(3), group != "/" else { return nil }
        for mount in mounts.split(separator: "\n") {
            // Fields of the mount, a dash, and fields of its file system.
            let fields = mount.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count, fields[dash + 1] == "cgroup2",
                fields.count > 4, fields[3] == "/", !fields[4].contains("\\")
            else { continue }
            return "\(fields[4] == "/" ? "" : fields[4])\(group)"
        }
        return nil
    }

    // MARK: files of the kernel

    static func read(_ path: String) throws(SystemError) -> String {
        let bytes = try FileReader(path).bytes(at: 0, count: 1 << 18)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func write(_ text: String, to path: String) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .last("open \(path)") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw .last("write \(path)") }
    }
}

/// The group of one process. It is removed with this object, if the process has ended.
public final class ControlGroup: Sendable {
    /// What a group bounds.
    public struct Bounds: Sendable {
        /// In bytes, swapped out or not.
        public var memory: UInt64
        /// Processes and threads together.
        public var threads: UInt64
        /// 1 to 10000; other programs have 100.
        public var weight: UInt64

        public init(memory: UInt64, threads: UInt64, weight: UInt64) {
            (self.memory, self.threads, self.weight) = (memory, threads, weight)
        }
    }

    private let path: String
    /// Of processes that were in the group before.
    private let earlierKills: UInt64

    /// Makes a group, or sets the bounds of one that is there.
    ///
    /// - Parameter name: One element of a path.
    /// - Throws: the failed call.
    public init(_ name: String, in tree: ControlGroupTree, _ bounds: Bounds) throws(SystemError) {
        path = "\(tree.path)/\(name)"
        if mkdir(path, 0o755) != 0, errno != EEXIST { throw .last("mkdir \(path)") }
        earlierKills = Self.killsForMemory(in: path)
        try ControlGroupTree.write(String(bounds.memory), to: "\(path)/memory.max")
        try ControlGroupTree.write(String(bounds.threads), to: "\(path)/pids.max")
        // Kernels without swap, and groups without the controller, have no such file.
        for (file, value) in [("memory.swap.max", "0"), ("cpu.weight", String(bounds.weight))] {
            do throws(SystemError) {
                try ControlGroupTree.write(value, to: "\(path)/\(file)")
            } catch  where error.isMissing {}
        }
    }

    deinit { rmdir(path) }

    /// Moves a process into the group.
    public func add(_ pid: Int32) throws(SystemError) {
        try ControlGroupTree.write(String(pid), to: "\(path)/cgroup.procs")
    }

    /// How many processes the kernel has killed here for want of memory.
    public var killsForMemory: UInt64 {
        let kills = Self.killsForMemory(in: path)
        return kills - min(kills, earlierKills)
    }

    private static func killsForMemory(in path: String) -> UInt64 {
        let events = (try? ControlGroupTree.read("\(path)/memory.events")) ?? ""
        let line = events.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
        return line.flatMap { UInt64($0.dropFirst("oom_kill ".count)) } ?? 0
    }
}
