// ExaminedBus: a bus for one run of a program that has a provider.

import CallModel
import DBus
import EventLoop
import Files
import Glibc
import WorkerLaunch

/// A program whose provider is examined.
struct ExaminedProgram: Sendable {
    /// Its path and its arguments.
    let command: [String]
    /// The id of the provider to examine; nil is the first that it registers.
    let provider: String?

    /// What the certificate is about.
    var id: String { provider ?? command.first?.split(separator: "/").last.map(String.init) ?? "" }
}

/// A bus with the scripted host and one program, which finds it as its session bus. It has no other services. All end
/// together.
@LoopActor
final class ExaminedBus: Examinee {
    private let bus: Bus
    private let daemon: ChildProcess
    private let busAddress: String
    private let folder: String
    private var program: ChildProcess?
    private var killTimer: LoopTimer?
    /// The connection of the provider.
    private var client = ""
    private var clientProcess: Int32?
    private var presence: NameWatch?
    private var hasLeft = false
    private var onLeft: (@LoopActor () -> Void)?

    private static let configuration = """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=SOCKET</listen>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
            <allow send_requested_reply="false" send_type="method_return"/>
            <allow send_requested_reply="false" send_type="error"/><allow receive_requested_reply="false"/>
          </policy>
          <limit name="max_replies_per_connection">50000</limit>
        </busconfig>

        """

    /// Starts a bus, and takes the daemon's name there.
    ///
    /// - Throws: the failed step; `SystemError` with `ENOENT` if dbus-daemon is not installed.
    init(_ environment: [String: String]) async throws {
        folder = "/tmp/callctl-certify-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try FileWriter.makePrivateFolder(folder)
        let socket = "\(folder)/bus"
        busAddress = "unix:path=\(socket)"
        do {
            daemon = try await Self.startDaemon(in: folder, socket: socket, environment)
        } catch {
            try? FolderTree.remove(folder)
            throw error
        }
        do {
            bus = try await Bus.connect(to: busAddress)
        } catch {
            daemon.kill(SIGKILL)
            try? FolderTree.remove(folder)
            throw error
        }
        _ = try await bus.requestName(Contract.busName)
    }

    private static func startDaemon(
        in folder: String, socket: String, _ environment: [String: String]
    ) async throws -> ChildProcess {
        let text = configuration.replacing("SOCKET", with: socket)
        try FileWriter.replace("\(folder)/bus.conf", with: Array(text.utf8))
        guard let program = ProcessEnvironment.path(of: "dbus-daemon", in: environment) else {
            throw SystemError(call: "start dbus-daemon", code: ENOENT)
        }
        var waiter: CheckedContinuation<Bool, Never>?
        func settle(_ isReady: Bool) {
            waiter?.resume(returning: isReady)
            waiter = nil
        }
        let pipe = try ReadinessPipe { settle(true) }
        let words = [program, "--config-file=\(folder)/bus.conf", "--nofork", "--print-address=3"]
        let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { if silence >= 0 { close(silence) } }
        let command = tied(words, environment)
        let daemon = try ChildProcess.spawn(
            command[0], Array(command.dropFirst()), descriptors: [2: max(silence, STDERR_FILENO), 3: pipe.writingEnd],
            group: .inherited
        ) { _ in settle(false) }
        pipe.closeWritingEnd()
        guard await withCheckedContinuation({ waiter = $0 }) else {
            throw SystemError(call: "start dbus-daemon", code: EIO)
        }
        return daemon
    }

    isolated deinit { end() }

    /// Ends the bus and all on it.
    private func end() {
        kill()
        daemon.kill(SIGKILL)
        bus.close()
        try? FolderTree.remove(folder)
    }

    /// A command whose process ends with this one, however this one ends.
    private static func tied(_ command: [String], _ environment: [String: String]) -> [String] {
        let guardian = ProcessEnvironment.path(of: "setpriv", in: environment)
        return (guardian.map { [$0, "--pdeathsig", "KILL"] } ?? []) + command
    }

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - onExit: called once, when it has ended.
    ///   - onLeft: called when the provider's process has left the bus.
    func run(
        _ command: [String], _ environment: [String: String], output: Int32,
        onExit: @escaping @LoopActor (ExitStatus) -> Void, onLeft: @escaping @LoopActor () -> Void
    ) throws {
        self.onLeft = onLeft
        bus.onDisconnected = { [weak self] in self?.left() }
        let name = command.first ?? ""
        let path = name.contains("/") ? name : ProcessEnvironment.path(of: name, in: environment) ?? name
        guard ProcessEnvironment.isExecutable(path) else { throw SystemError(call: "start \(path)", code: errno) }
        var variables = environment
        variables["DBUS_SESSION_BUS_ADDRESS"] = busAddress
        let words = Self.tied([path] + command.dropFirst(), environment)
        program = try ChildProcess.spawn(
            words[0], Array(words.dropFirst()), environment: variables, descriptors: [1: output, 2: output],
            group: .session
        ) { [weak self] status in
            self?.killTimer = nil
            self?.end()
            onExit(status)
        }
    }

    /// This connection has registered the provider that is examined, or the first one.
    func met(_ client: String) {
        guard self.client != client else { return }
        (self.client, clientProcess, hasLeft) = (client, nil, false)
        presence?.cancel()
        presence = bus.watchName(client) { _ in
        } vanished: { [weak self] in
            self?.left()
        }
        bus.pid(of: client) { [weak self] pid in
            guard let self, self.client == client else { return }
            clientProcess = pid.map { Int32(clamping: $0) }
        }
    }

    private func left() {
        hasLeft = true
        onLeft?()
    }

    var channel: any MessageChannel { bus }
    var address: String? { client }
    var isConnected: Bool { bus.isOpen && !hasLeft }
    var pid: Int32 { clientProcess ?? program?.pid ?? 0 }
    var report: SandboxReport? { nil }

    func stop() {
        guard let program, program.status == nil, killTimer == nil else { return }
        program.kill(SIGTERM)
        killTimer = LoopTimer(after: LinkedProcess.exitDeadline) { [weak self] in self?.kill() }
    }

    func kill() {
        guard let program, program.status == nil else { return }
        // With what it has started.
        Glibc.kill(-program.pid, SIGKILL)
        program.kill(SIGKILL)
    }
}
