// ChildProcess: starts a program and tells how it ended.

internal import CSystem
internal import Glibc

/// How a process ended.
public enum ExitStatus: Hashable, Sendable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    public var description: String {
        switch self {
        case .exited(let code): "exited with status \(code)"
        case .signalled(let signal): "ended by \(Self.text(of: signal))"
        }
    }

    /// A signal by its number and its name, such as `signal 4 (SIGILL)`.
    public static func text(of signal: Int32) -> String {
        "signal \(signal)" + (names[signal].map { " (\($0))" } ?? "")
    }

    /// The signals by which programs end.
    private static let names = [
        SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
        SIGKILL: "SIGKILL",
        SIGSEGV: "SIGSEGV", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGINT: "SIGINT",
        SIGHUP: "SIGHUP",
        SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGSYS: "SIGSYS",
    ]
}

/// Where the signals of a terminal or of `kill(-group)` reach a child.
public enum ProcessGroup: Sendable {
    case inherited, own, session
}

/// A child process. It is reaped as soon as it ends, and stays known to the loop until then even if it is dropped.
@LoopActor
public final class ChildProcess {
    nonisolated public let pid: Int32
    /// How the child ended; nil while it runs.
    public private(set) var status: ExitStatus?

    private let descriptor: Int32
    private var watch: FileWatch?
    private var onExit: (@LoopActor (ExitStatus) -> Void)?

    private init(pid: Int32, onExit: @escaping @LoopActor (ExitStatus) -> Void) throws(SystemError) {
        self.pid = pid
        self.onExit = onExit
        descriptor = ock_pidfd_open(pid)
        if descriptor < 0 { throw .last("pidfd_open") }
        watch = try FileWatch(descriptor, .readable) { _ in self.reap() }
    }

    isolated deinit {
        if descriptor >= 0, status == nil { close(descriptor) }
    }

    /// Starts the program at `path` with `path` as its name and `arguments` after it.
    ///
    /// - Parameters:
    ///   - environment: all of the child's environment; nil hands down this process's own.
    ///   - descriptors: what the child finds under which number: `[child's: ours]`. Besides these it gets 0, 1 and 2.
    ///   - onExit: called once, after the child was reaped.
    public static func spawn(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        descriptors: [Int32: Int32] = [:], group: ProcessGroup = .own,
        onExit: @escaping @LoopActor (ExitStatus) -> Void
    ) throws(SystemError) -> ChildProcess {
        let texts = [path] + arguments + (environment ?? [:]).flatMap { [$0.key, $0.value] }
        if texts.contains(where: { $0.utf8.contains(0) }) { throw SystemError(call: "posix_spawn", code: EINVAL) }
        let targets = descriptors.keys.sorted()
        if targets.contains(where: { $0 < 0 || $0 > 1000 }) { throw SystemError(call: "posix_spawn", code: EBADF) }
        // Copies above all targets: no target overwrites a source that is still needed.
        var sources: [Int32] = []
        defer { for source in sources { close(source) } }
        for target in targets {
            let copy = fcntl(descriptors[target] ?? -1, F_DUPFD_CLOEXEC, max(3, (targets.last ?? 0) + 1))
            if copy < 0 { throw .last("fcntl") }
            sources.append(copy)
        }
        let kind: Int32 =
            switch group {
            case .inherited: 0
            case .own: 1
            case .session: 2
            }
        let variables = environment.map { $0.map { "\($0.key)=\($0.value)" }.sorted() }
        var pid: pid_t = 0
        let code = withCStrings([path] + arguments) { argv in
            guard let variables else {
                return ock_spawn(&pid, path, argv, environ, sources, targets, Int32(targets.count), kind)
            }
            return withCStrings(variables) { envp in
                ock_spawn(&pid, path, argv, envp, sources, targets, Int32(targets.count), kind)
            }
        }
        if code != 0 { throw SystemError(call: "posix_spawn", code: code) }
        do {
            return try ChildProcess(pid: pid, onExit: onExit)
        } catch {
            Glibc.kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            throw error
        }
    }

    /// Sends a signal. False if the child has ended.
    @discardableResult
    public func kill(_ signal: Int32) -> Bool { status == nil && ock_pidfd_kill(descriptor, signal) == 0 }

    /// Lowers what the process may take, for good.
    ///
    /// - Parameter memory: what it allocates, in bytes.
    public func limit(openFiles: UInt64, memory: UInt64) throws(SystemError) {
        // It keeps its number until its end was told.
        guard status == nil else { return }
        guard ock_limit(pid, openFiles, memory) == 0 else { throw .last("prlimit") }
    }

    private func reap() {
        var signalled: Int32 = 0
        var code: Int32 = 0
        let result = ock_pidfd_reap(descriptor, &signalled, &code)
        if result == 0 { return }
        // Somebody else reaped the child if this fails; that it is gone is all that can be told.
        let status: ExitStatus = result < 0 ? .exited(-1) : signalled != 0 ? .signalled(code) : .exited(code)
        self.status = status
        watch?.cancel()
        watch = nil
        close(descriptor)
        let onExit = onExit
        self.onExit = nil
        onExit?(status)
    }
}

/// Lends a null-terminated array of C strings, as `execve` wants it.
private func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
) -> Value {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("an array that is never empty") }
        return body(base)
    }
}
