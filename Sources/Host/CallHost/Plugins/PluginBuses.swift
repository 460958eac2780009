// PluginBuses: the buses that a plugin has been let to, each through a proxy of its own.

import CallModel
import EventLoop
import Logging
import WorkerLaunch

/// Runs the proxies of one plugin, as long as it is to run.
@LoopActor
final class PluginBuses {
    /// How long a start of a plugin waits for its proxies, in milliseconds. What a proxy cannot do by then, it can do
    /// later.
    private static let patience = 1_000

    private let folder: String?
    private let environment: [String: String]
    private let log: Logger
    private var proxies: [PluginBus: BusProxy] = [:]
    private var awaited: (timer: LoopTimer, then: @LoopActor () -> Void)?

    /// - Parameters:
    ///   - folder: where the folders of the sockets are; nil if there is nowhere.
    ///   - environment: the daemon's.
    init(folder: String?, environment: [String: String], log: Logger) {
        self.folder = folder
        self.environment = environment
        self.log = log
    }

    /// Starts and ends proxies, so that there are those that the permissions need.
    ///
    /// - Returns: Why some of the permissions cannot be had, by permission.
    func adjust(to permissions: Set<Permission>) -> [Permission: String] {
        var absences: [Permission: String] = [:]
        for bus in PluginBus.allCases {
            let services = bus.services(of: permissions)
            do {
                try adjust(bus, services)
            } catch {
                let absence = Self.absence(of: bus, error)
                for permission in permissions where !bus.services(of: [permission]).isEmpty {
                    absences[permission] = absence
                }
            }
        }
        return absences
    }

    private func adjust(_ bus: PluginBus, _ services: [String]) throws {
        guard !services.isEmpty else {
            proxies[bus] = nil
            return
        }
        guard let folder else { throw PluginObstacle(description: "there is no runtime folder") }
        guard let address = bus.address(in: environment) else {
            throw PluginObstacle(description: "no \(bus.rawValue) is known")
        }
        let purpose = BusProxy.Purpose(address: address, services: services)
        guard proxies[bus]?.purpose != purpose else { return }
        proxies[bus] = nil
        proxies[bus] = try BusProxy(purpose, in: folder, environment: environment, log: log) { [weak self] in
            self?.proxyIsReady()
        }
    }

    /// Ends all proxies.
    func end() {
        proxies = [:]
        awaited = nil
    }

    /// Calls `then` when plugins can connect to all proxies, or after a while.
    func whenReady(then: @escaping @LoopActor () -> Void) {
        guard proxies.values.contains(where: { !$0.isReady }) else {
            awaited = nil
            return then()
        }
        let timer = LoopTimer(afterMilliseconds: Self.patience) { [weak self] in self?.stopWaiting() }
        awaited = (timer, then)
    }

    /// Where the sockets are, by bus.
    var sockets: [PluginBus: SandboxSocket] {
        proxies.mapValues { SandboxSocket(folder: $0.folder, name: BusProxyProcess.socketName) }
    }

    private func proxyIsReady() {
        if proxies.values.allSatisfy(\.isReady) { stopWaiting() }
    }

    private func stopWaiting() {
        let awaited = awaited
        self.awaited = nil
        awaited?.then()
    }

    private static func absence(of bus: PluginBus, _ error: any Error) -> String {
        if let obstacle = error as? PluginObstacle { return obstacle.description }
        if let error = error as? SystemError, error.isMissing, error.call.hasPrefix("start") {
            return "xdg-dbus-proxy is missing; install the package xdg-dbus-proxy"
        }
        return "xdg-dbus-proxy does not run: \(error)"
    }
}
