// BusProxy: lets a plugin talk to some services of a bus, and to no other.

import EventLoop
import Files
import Glibc
import Logging
import WorkerLaunch

/// Runs xdg-dbus-proxy, which passes on what is allowed. One that dies is started anew at the same place. It ends with
/// this object, and with the daemon.
///
/// Each has a folder of its own: a proxy removes its socket when it ends, which may be after another one has begun.
@LoopActor
final class BusProxy {
    /// What a proxy is for.
    struct Purpose: Equatable {
        /// The address of the bus.
        let address: String
        /// The well-known names of the services that can be talked to.
        let services: [String]
    }

    let purpose: Purpose
    /// The folder of its socket.
    let folder: String
    private let environment: [String: String]
    private let log: Logger
    private var process: BusProxyProcess?
    private var backOff = BackOff(pauses: [100, 1_000, 5_000, 30_000])
    private var startTimer: LoopTimer?
    private var startedAt = MonotonicTime(nanoseconds: 0)
    /// How many there have been.
    private static var count = 0
    /// Whether plugins can connect.
    private(set) var isReady = false
    private let onReady: @LoopActor () -> Void

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - folder: in which each proxy makes a folder of its own.
    ///   - environment: where the program is looked for.
    ///   - onReady: called each time that plugins can connect again.
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
        let pause = backOff.pause(afterRunFrom: startedAt, to: .now) ?? 0
        startTimer = LoopTimer(afterMilliseconds: pause) { [weak self] in
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
