// ExaminedPlace: where a plugin that is examined keeps what it writes.

import CallModel
import EventLoop
import Files
import Glibc
import WorkerLaunch

/// Folders in place of those that the plugin has with callkitd, and proxies of the buses that it may reach. All workers
/// of an examination share them; then they are removed.
@LoopActor
final class ExaminedPlace {
    let storage: PluginStorage
    private let folder: String
    private var proxies: [PluginBus: BusProxyProcess] = [:]
    private var ready = 0

    init() throws(SystemError) {
        folder = "/tmp/callctl-certify-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try FileWriter.makePrivateFolder(folder)
        storage = PluginStorage(state: "\(folder)/plugins/state", cache: "\(folder)/plugins/cache")
    }

    /// The sockets of the proxies that run.
    var sockets: [PluginBus: SandboxSocket] { proxies.mapValues(\.socket) }

    /// Starts the proxies that the permissions need. Calls `then` whenever plugins can connect to one more.
    ///
    /// - Throws: if a proxy cannot be started; `start` with `ENOENT` if xdg-dbus-proxy is not installed.
    func startProxies(
        for granted: Set<Permission>, _ environment: [String: String], then: @escaping @LoopActor () -> Void
    ) throws(SystemError) {
        for bus in PluginBus.allCases {
            let services = bus.services(of: granted)
            guard !services.isEmpty, let address = bus.address(in: environment) else { continue }
            proxies[bus] = try BusProxyProcess(
                to: address, services: services, in: "\(folder)/\(bus.rawValue)", environment: environment
            ) { [weak self] in
                self?.ready += 1
                then()
            } onExit: { _ in
            }
        }
    }

    /// Whether plugins can connect to all proxies.
    var isReady: Bool { ready >= proxies.count }

    isolated deinit {
        _ = try? storage.remove()
        try? FolderTree.remove(folder)
    }
}
