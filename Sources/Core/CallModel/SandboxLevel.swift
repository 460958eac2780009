// SandboxLevel: how much of a sandbox a process is in.

/// What keeps a process from the rest of the machine; the greater the level, the more. Raw values are the words on the
/// bus.
public enum SandboxLevel: String, Hashable, Sendable, CaseIterable {
    /// Nothing, as the user has asked for.
    case none
    /// A filter of system calls, and limits.
    case syscalls
    /// Landlock as well: files and sockets that were not granted cannot be opened.
    case landlock
    /// A file system of its own as well: what was not granted is not there.
    case full
}

extension SandboxLevel: Comparable {
    public static func < (one: SandboxLevel, other: SandboxLevel) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .syscalls: 1
        case .landlock: 2
        case .full: 3
        }
    }
}
