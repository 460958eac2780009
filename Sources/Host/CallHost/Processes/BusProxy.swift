// BusProxy: keeps an xdg-dbus-proxy running, through which a plugin calls some services of a bus.

import EventLoop
import Files
import Glibc
import Logging
import WorkerLaunch

/// Runs xdg-dbus-proxy, and starts it again at the same address if it ends. The proxy ends with this object, and with
/// the daemon.
///
/// Each `BusProxy` has a folder of its own, because a proxy removes its socket when it ends, which may be after its
/// successor has started.
@LoopActor
final class BusProxy {
    /// The bus and the services of a proxy.
    struct Purpose: Equatable {
        /// The address of the bus.
        let address: String
        /// The well-known names of the services that can be called.
        let services: [String]
    }

    let purpose: Purpose
    /// The folder of its socket.
    let folder: String
    private let environment: [String: String]
    private let log: Logger
    private var process: BusProxyProcess?
    private var backOff = BackOff(pauses: [.milliseconds(100), .seconds(1), .seconds(5), .seconds(30)])
    private var startTimer: LoopTimer?
    private var startedAt = MonotonicTime(nanoseconds: 0)
    /// How many there have been in this process; it makes the names of their folders unique.
    private static var count = 0
    /// Whether plugins can connect.
    private(set) var isReady = false
    private let onReady: @LoopActor () -> Void

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - folder: The folder in which each proxy makes a folder of its own.
    ///   - environment: Its `PATH` is searched for the program.
    ///   - onReady: Called each time the plugin can connect.
    /// - Throws: If the folder cannot be made or the program cannot be started; `start` with `ENOENT` if it is not
    ///   installed.
    init(
        _ purpose: Purpose, in folder: String, environment: [String: String], log: Logger,
        onReady: @escaping @LoopActor () -> Void
    ) throws(SystemError) {
        self.purpose = purpose
        Self.count += 1
        self.folder = "\(folder)/\(getpid())-\(Self.count)"
        self.environment = environment
        self.log = log
        self.onReady = onReady
        try start()
    }

    /// The proxy's process id; 0 while there is none.
    var pid: Int32 { process?.pid ?? 0 }

    private func start() throws(SystemError) {
        startTimer = nil
        startedAt = .now
        process = try BusProxyProcess(
            to: purpose.address, services: purpose.services, in: folder, environment: environment
        ) { [weak self] in
            self?.becameReady()
        } onExit: { [weak self, folder] status in
            if let self { ended(status) } else { try? FolderTree.remove(folder) }
        }
    }

    private func becameReady() {
        isReady = true
        onReady()
    }

    private func ended(_ status: ExitStatus) {
        isReady = false
        process = nil
        log.warning("xdg-dbus-proxy for \(folder) \(status); it is started again")
        startAgain()
    }

    private func startAgain() {
        let pause = backOff.pause(afterRunFrom: startedAt, to: .now) ?? .zero
        startTimer = LoopTimer(after: pause) { [weak self] in
            guard let self else { return }
            do throws(SystemError) {
                try start()
            } catch {
                log.error("xdg-dbus-proxy for \(folder) cannot be started again, which is tried later: \(error)")
                startAgain()
            }
        }
    }
}
