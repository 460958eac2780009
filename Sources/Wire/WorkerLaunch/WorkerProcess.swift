// WorkerProcess: callkit-worker with one plugin, and the link to it.

public import DBus
public import EventLoop
internal import Glibc

/// A process of its own for one plugin, started when this object is made. It lives as long as the process does, so that
/// one which does not go when it is asked to is killed, even if nobody holds on to this object.
@LoopActor
public final class WorkerProcess {
    /// What callkit-worker exits with if it could not load the plugin; a line on its standard error says why.
    nonisolated public static let notLoaded: Int32 = 65
    /// What callkit-worker exits with if the plugin has no entry.
    nonisolated public static let noEntry: Int32 = 66
    /// How long a worker may take to go once its link is closed, in milliseconds.
    nonisolated public static let exitDeadline = 1_000

    /// Our end of the link. Closing it asks the worker to go.
    public let link: PrivateLink
    private var process: ChildProcess?
    private var killTimer: LoopTimer?
    private var onExit: (@LoopActor (WorkerProcess, ExitStatus) -> Void)?

    /// Starts a worker, in a session of its own.
    ///
    /// - Parameters:
    ///   - plugin: the library to load, absolute; see `PluginFile`.
    ///   - part: which of the plugin's entries to call.
    ///   - worker: where callkit-worker is.
    ///   - environment: the worker gets it without what reaches into it.
    ///   - output: a descriptor for what the worker and the plugin write to standard output and standard error; nil leaves
    ///     them this process's own.
    ///   - onExit: called once, when the process has ended. The link is closed by then.
    /// - Throws: `DBusError` if there is no link, `SystemError` if there is no process.
    public init(
        loading plugin: String, as part: PluginPart = .provider, worker: String, environment: [String: String],
        output: Int32? = nil,
        onExit: @escaping @LoopActor (WorkerProcess, ExitStatus) -> Void
    ) throws {
        self.onExit = onExit
        let (link, descriptor) = try PrivateLink.pair()
        self.link = link
        defer { close(descriptor) }
        var descriptors: [Int32: Int32] = [3: descriptor]
        for standard: Int32 in [1, 2] { descriptors[standard] = output }
        process = try ChildProcess.spawn(
            worker, ["3", plugin] + part.workerArguments, environment: Self.environment(from: environment),
            descriptors: descriptors,
            group: .session
        ) { status in self.exited(status) }
    }

    /// 0 before the process was started.
    public var pid: Int32 { process?.pid ?? 0 }

    /// What a process that we start gets of our environment: where things are, and nothing that reaches into it.
    public static func environment(from own: [String: String]) -> [String: String] {
        var environment = own.filter { !$0.key.hasPrefix("LD_") && $0.key != "DBUS_SESSION_BUS_ADDRESS" }
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment["DBUS_FATAL_WARNINGS"] = "0"
        return environment
    }

    /// Asks the worker to go by closing its link, and kills it if it stays longer than `exitDeadline`.
    public func stop() {
        link.close()
        guard killTimer == nil, process?.status == nil else { return }
        killTimer = LoopTimer(afterMilliseconds: Self.exitDeadline) { [weak self] in self?.kill() }
    }

    /// Ends the worker at once.
    public func kill() {
        link.close()
        _ = process?.kill(SIGKILL)
    }

    private func exited(_ status: ExitStatus) {
        killTimer = nil
        link.close()
        let onExit = onExit
        self.onExit = nil
        onExit?(self, status)
    }
}
