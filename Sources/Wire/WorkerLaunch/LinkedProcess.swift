// LinkedProcess: a child process with a private link to it.

internal import CallModel
public import DBus
public import EventLoop
public import Files
internal import Glibc

/// A program that this process starts, with a private link as its descriptor 3. The object lives as long as the
/// process, so that a process that does not end when asked to is killed even if nothing else refers to the object.
@LoopActor
public final class LinkedProcess {
    /// How long a process may take to end after its link was closed.
    nonisolated public static let exitDeadline = Duration.seconds(1)
    /// The descriptors of the link, of the library and of the policy in the process.
    nonisolated private static let linkNumber: Int32 = 3
    nonisolated private static let libraryNumber: Int32 = 4
    nonisolated private static let policyNumber: Int32 = 5

    /// What the loader calls the library of a plugin in a stack trace.
    nonisolated public static let libraryName = "\(libraryNumber)"

    /// This process's end of the link. Closing it asks the process to end.
    public let link: PrivateLink
    private var process: ChildProcess?
    private var killTimer: LoopTimer?
    /// Whether the process is a guard, which ends all that the worker has left behind. A sandboxed worker starts
    /// nothing.
    private var isGuarded = false
    /// Where a worker's report comes from.
    private var policyChannel: PolicyChannel?
    /// Whether the guard was asked to kill the worker.
    private var wasAsked = false
    /// The process that is guarded, once it is known.
    private var worker: Int32?
    private var onExit: (@LoopActor (LinkedProcess, ExitStatus) -> Void)?

    /// Starts `program` in a session of its own, with the number of the link's descriptor as its first argument.
    ///
    /// - Parameters:
    ///   - environment: The environment of which the process gets a part, see `InheritedEnvironment`.
    ///   - withSessionBus: Whether the process has the address of the session bus as well.
    ///   - output: A descriptor that becomes the process's standard output and standard error; nil leaves them as they
    ///     are.
    ///   - errors: A descriptor that becomes the process's standard error in place of `output`.
    ///   - onExit: Called once, when the process has ended. The link is closed by then.
    /// - Throws: `DBusError` if the link cannot be made, `SystemError` if the process cannot be started.
    public convenience init(
        _ program: String, _ arguments: [String], environment: [String: String], withSessionBus: Bool = false,
        output: Int32? = nil, errors: Int32? = nil,
        onExit: @escaping @LoopActor (LinkedProcess, ExitStatus) -> Void
    ) throws {
        let variables = InheritedEnvironment.part(of: environment, withSessionBus: withSessionBus)
        try self.init(program, arguments, variables, [1: output, 2: errors ?? output], onExit)
    }

    private init(
        _ program: String, _ arguments: [String], _ environment: [String: String], _ lent: [Int32: Int32?],
        _ onExit: @escaping @LoopActor (LinkedProcess, ExitStatus) -> Void
    ) throws {
        self.onExit = onExit
        let (link, descriptor) = try PrivateLink.pair()
        self.link = link
        defer { close(descriptor) }
        var descriptors = lent.compactMapValues { $0 }
        descriptors[Self.linkNumber] = descriptor
        process = try ChildProcess.spawn(
            program, [String(Self.linkNumber)] + arguments, environment: environment,
            descriptors: descriptors, group: .session
        ) { status in self.exited(status) }
    }

    /// Starts callkit-worker, which confines itself and loads a plugin: the file that is opened and checked here,
    /// whatever becomes of its name.
    ///
    /// - Parameters:
    ///   - plugin: The library to load, an absolute path; see `PluginFile`.
    ///   - file: The library, if it is open already.
    ///   - part: The entry of the plugin to call.
    ///   - worker: The path of callkit-worker.
    ///   - policy: What the worker may use, and its environment.
    ///   - beforePolicy: Called with the number of the process before the policy is sent, which the worker waits for.
    public convenience init(
        loading plugin: String, _ file: FileReader? = nil, as part: PluginPart = .provider, worker: String,
        policy: SandboxPolicy, output: Int32? = nil, errors: Int32? = nil,
        beforePolicy: (@LoopActor (Int32) -> Void)? = nil,
        onExit: @escaping @LoopActor (LinkedProcess, ExitStatus) -> Void
    ) throws {
        let library = try file ?? PluginFile.open(plugin)
        defer { withExtendedLifetime(library) {} }
        let channel = try PolicyChannel()
        defer { channel.closeWorkerEnd() }
        try self.init(
            worker, [String(Self.libraryNumber), String(Self.policyNumber), plugin] + part.workerArguments,
            policy.environment,
            [
                1: output, 2: errors ?? output, Self.libraryNumber: library.descriptor,
                Self.policyNumber: channel.workerEnd,
            ], onExit)
        policyChannel = channel
        isGuarded = policy.demand == .none
        if let process { beforePolicy?(process.pid) }
        // Half a policy would confine the worker in another way than was meant.
        if !channel.send(policy.text) { kill() }
    }

    /// How the worker is confined; nil until it has told. It is complete when the worker says Hello, except for what
    /// the plugin is denied later.
    public var report: SandboxReport? { policyChannel?.report }

    /// The process id, or 0 if the process was never started. Of a worker with a guard it is that of the guard until
    /// there is the worker.
    public var pid: Int32 {
        guard let process else { return 0 }
        if worker == nil, isGuarded || report?.hasGuard == true { worker = Self.firstChild(of: process.pid) }
        return worker ?? process.pid
    }

    /// The worker is the first child of its guard; what the plugin leaves behind comes after it.
    private static func firstChild(of pid: Int32) -> Int32? {
        let file = "/proc/\(pid)/task/\(pid)/children"
        guard let list = try? FileReader(file).bytes(at: 0, count: 16) else { return nil }
        return list.split(separator: UInt8(ascii: " ")).first.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }

    /// Closes the link, which asks the process to end, and kills the process if it has not ended after `exitDeadline`.
    public func stop() {
        link.close()
        guard killTimer == nil, process?.status == nil else { return }
        killTimer = LoopTimer(after: Self.exitDeadline) { [weak self] in self?.kill() }
    }

    /// Kills the process. The signal comes before the end of the link, on which the process would exit by itself.
    ///
    /// The guard of a worker is asked to kill it, so that the guard ends what the worker has left behind. One that has
    /// not ended after `exitDeadline` is killed itself, and the worker with it.
    public func kill() {
        if isGuarded, !wasAsked {
            wasAsked = true
            _ = process?.kill(SIGTERM)
            if process?.status == nil {
                killTimer = LoopTimer(after: Self.exitDeadline) { [weak self] in self?.kill() }
            }
        } else {
            _ = process?.kill(SIGKILL)
        }
        link.close()
    }

    private func exited(_ status: ExitStatus) {
        killTimer = nil
        link.close()
        let onExit = onExit
        self.onExit = nil
        // A guard that had not begun yet ends by the signal that asks it to kill.
        let isKilled = wasAsked && status == .signalled(SIGTERM)
        onExit?(self, isKilled ? .signalled(SIGKILL) : status)
    }
}
