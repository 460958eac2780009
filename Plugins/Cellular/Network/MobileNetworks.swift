// MobileNetworks: the services that drive modems.

internal import DBus
public import EventLoop
internal import Glibc

/// The connection to the system bus, and the services that drive modems on it.
@LoopActor
public final class MobileNetworks {
    private let session: BusSession
    private var modemManager: ModemManagerService?
    private var ofono: OfonoService?

    public init() {
        session = BusSession(
            address: Self.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket")
        let name = Self.variable("OPENCALLKIT_OFONO").flatMap { BusName.isValid($0) ? $0 : nil } ?? OfonoName.service
        session.onConnected = { [weak self] bus in
            self?.modemManager = ModemManagerService(bus)
            self?.ofono = OfonoService(bus, name)
        }
        session.onDisconnected = { [weak self] in
            self?.disconnected()
        }
        session.start()
    }

    private func disconnected() {
        modemManager?.close()
        ofono?.close()
        (modemManager, ofono) = (nil, nil)
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
