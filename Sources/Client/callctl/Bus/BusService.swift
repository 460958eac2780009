// BusService: whom a command asks.

import CallModel
import DBus

/// A service on the bus, with the program behind it for messages to people.
struct BusService: Sendable, Equatable {
    let busName: String
    let program: String

    static let daemon = BusService(busName: Contract.busName, program: "callkitd")
    static let desktop = BusService(busName: Contract.desktopBusName, program: "callkit-desktop")

    /// The agent's only object.
    static let desktopPath = ObjectPath(Contract.desktopPath) ?? .root
}
