// PluginBuses: the proxies through which a plugin calls services of the buses.

import CallModel
import EventLoop
import Logging
import WorkerLaunch

/// Runs the proxies of one plugin: one for each bus of which it may call services.
@LoopActor
final class PluginBuses {
    /// How long the start of a plugin waits for its proxies. After that the plugin starts without
    /// waiting.
    private static let proxyTimeout = Duration.seconds(1)

    private let folder: String?
    private let environment: [String: String]
    private let log: Logger
    private var proxies: [PluginBus: BusProxy] = [:]
    private var awaited: (timer: LoopTimer, then: @LoopActor () -> Void)?

    /// - Parameters:
    ///   - folder: The folder in which each proxy makes one for its socket; nil if there is no runtime folder.
    ///   - environment: The daemon's.
    init(folder: String?, environment: [String: String], log: Logger) {
        self.folder = folder
        self.environment = environment
        self.log = log
    }

    /// Starts and ends proxies as the permissions require.
    ///
    /// - Returns: Why permissions are not available, by permission; empty if all are.
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

    /// Calls `then` when the plugin can connect to all proxies, or after `proxyTimeout`.
    func whenReady(then: @escaping @LoopActor () -> Void) {
        guard proxies.values.contains(where: { !$0.isReady }) else {
            awaited = nil
            return then()
        }
        let timer = LoopTimer(after: Self.proxyTimeout) { [weak self] in self?.stopWaiting() }
        awaited = (timer, then)
    }

    /// The sockets of the proxies, by bus.
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
