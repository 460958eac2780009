// PrivateBus: a private session bus for a test.

public import EventLoop
internal import Foundation

/// A dbus-daemon with a private configuration and address. It can be stopped and started again at the same address, and
/// ends with the object.
@LoopActor
public final class PrivateBus {
    nonisolated public let folder: TemporaryFolder
    /// The address that clients connect to.
    nonisolated public let address: String

    private var daemon: ChildProcess?
    private let exits = Inbox<ExitStatus>()

    /// Starts a bus.
    ///
    /// - Parameter serviceFolder: the folder of `.service` files for activation.
    public init(serviceFolder: String? = nil) async throws {
        folder = try TemporaryFolder()
        address = "unix:path=\(folder.file("bus"))"
        let services = serviceFolder.map { "<servicedir>\($0)</servicedir>" } ?? ""
        try folder.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>\(address)</listen>
              \(services)
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
                <allow send_requested_reply="false" send_type="method_return"/>
                <allow send_requested_reply="false" send_type="error"/><allow receive_requested_reply="false"/>
              </policy>
              <limit name="max_replies_per_connection">50000</limit>
              <limit name="max_match_rules_per_connection">50000</limit>
            </busconfig>
            """, to: "bus.conf")
        try await start()
    }

    isolated deinit {
        daemon?.kill(SIGKILL)
    }

    /// Starts the daemon again after `stop()`.
    public func start() async throws {
        guard daemon == nil else { return }
        try? folder.remove("bus")
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError(call: "pipe", code: errno) }
        defer { close(ends[0]) }
        let started = Inbox<Bool>()
        var watch: FileWatch?
        watch = try FileWatch(ends[0], .readable) { readiness in
            watch?.cancel()
            started.put(readiness.contains(.readable))
        }
        let exits = exits
        do {
            defer { close(ends[1]) }
            daemon = try ChildProcess.spawn(
                "/usr/bin/setpriv",
                // The daemon ends with the test process, however that ends.
                ["--pdeathsig", "KILL", "dbus-daemon", "--config-file=\(folder.file("bus.conf"))", "--nofork"]
                    + ["--print-address"],
                descriptors: [1: ends[1]], onExit: { exits.put($0) })
        }
        guard try await started.next() else { throw NothingArrived(description: "dbus-daemon did not start") }
    }

    /// Stops the daemon with SIGSTOP: it reads nothing.
    public func pause() { daemon?.kill(SIGSTOP) }
    public func resume() { daemon?.kill(SIGCONT) }

    /// Ends the daemon and waits without the loop, which has not noticed the end when this returns.
    public func kill() {
        guard let daemon else { return }
        self.daemon = nil
        daemon.kill(SIGKILL)
        var info = siginfo_t()
        while waitid(P_PID, id_t(daemon.pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    }

    /// Ends the daemon and returns when it is gone.
    public func stop() async throws {
        guard let daemon else { return }
        self.daemon = nil
        daemon.kill(SIGKILL)
        _ = try await exits.next()
    }
}
