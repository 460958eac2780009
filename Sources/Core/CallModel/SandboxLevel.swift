// SandboxLevel: how well a process is confined.

/// What confines a process. A greater level includes the lesser ones, and docs/trust.md tells what each lacks. Raw
/// values are the words on the bus.
public enum SandboxLevel: String, Hashable, Sendable, CaseIterable {
    /// Nothing: the daemon was started with `--no-sandbox` for this plugin.
    case none
    /// A seccomp filter of system calls, and resource limits.
    case syscalls
    /// Also Landlock: files that were not granted cannot be opened.
    case landlock
    /// Also a mount namespace: files that were not granted do not exist for the process.
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
