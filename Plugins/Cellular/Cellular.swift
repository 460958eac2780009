// Cellular: calls over mobile networks. The modems are driven by ModemManager.

import DBus
import EventLoop
import Glibc
import OpenCallKit

/// The plugin: the connection to the system bus, and the services that drive modems on it.
@LoopActor
final class Cellular {
    private let session: BusSession
    private var modemManager: ModemManagerService?

    init() {
        session = BusSession(address: Self.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket")
        session.onConnected = { [weak self] bus in self?.modemManager = ModemManagerService(bus) }
        session.onDisconnected = { [weak self] in
            self?.modemManager?.close()
            self?.modemManager = nil
        }
        session.start()
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// What the worker keeps. In a worker, the loop's thread is the main one.
@MainActor
private final class CellularPlugin {
    private let cellular: Task<Cellular, Never>

    init() { cellular = Task { @LoopActor in Cellular() } }
}

@c(opencallkit_plugin_main)
public func main(_ link: CInt) -> CInt {
    PluginMain.run(link) { CellularPlugin() }
}
