// The desktop agent is started by the first call that rings.

import CallCore
import CallModel
import DBus
import EventLoop
import Logging

extension CallSystemHost {
    /// Lets the bus start the desktop agent, if nobody makes the desktop ring, at most once in 30 s. Calls do not wait for
    /// it, and where no agent is installed nothing happens.
    func startDesktopAgent() {
        guard let bus, audioAgents.current == nil, agentStarts.take(at: clock.now) else { return }
        do throws(DBusError) {
            let message = try Message.call(
                to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "StartServiceByName",
                Contract.desktopBusName, UInt32(0))
            bus.call(message, timeoutMilliseconds: Self.agentPatience) { [log] result in
                guard case .failure(let error) = result else { return }
                log.debug("the desktop agent was not started: \(error.name)")
            }
        } catch {
            log.error("the desktop agent cannot be started: \(error.message)")
        }
    }

    private static var agentPatience: Int { 25_000 }
}
