// DesktopAgentStarter: sees to it that somebody shows the calls that ring.

import CallModel
import DBus
import EventLoop
import Logging

/// Has the bus start the desktop agent when a call begins to ring and nobody makes the desktop ring, and when the agent goes
/// while there are calls. Calls do not wait for it. Where no agent is installed nothing happens.
///
/// One that ends soon after each start is started again at once, then after 0.25 s, 1 s and 5 s, and then every 10 s, for as
/// long as there are calls. One that has run for a minute begins a new row.
@LoopActor
final class DesktopAgentStarter {
    /// The bus answers when the agent owns its name. In milliseconds.
    private static let patience = 25_000

    private unowned let host: CallSystemHost
    private var watch: NameWatch?
    private var isThere = false
    private var isWanted = false
    private var isStarting = false
    private var backOff = BackOff(pauses: [0, 250, 1_000, 5_000, 10_000])
    /// When the last one was started, or has come by itself.
    private var latest = MonotonicTime.now
    private var pause: LoopTimer?

    init(host: CallSystemHost) { self.host = host }

    /// Follows the agent on a bus that is there now.
    func follow(_ bus: Bus) {
        isThere = false
        isStarting = false
        watch = bus.watchName(Contract.desktopBusName) { [weak self] _ in
            self?.appeared()
        } vanished: { [weak self] in
            self?.vanished()
        }
    }

    /// A call begins to ring.
    func callRings() {
        guard !isThere, host.audioAgents.current == nil else { return }
        isWanted = true
        start()
    }

    private func appeared() {
        isThere = true
        isWanted = false
        if !isStarting { latest = .now }
    }

    private func vanished() {
        guard isThere else { return }
        isThere = false
        isWanted = host.hasLiveCalls
        failed()
    }

    private func failed() {
        let milliseconds = backOff.pause(afterRunFrom: latest, to: .now) ?? 0
        guard milliseconds > 0 else { return start() }
        pause = LoopTimer(afterMilliseconds: milliseconds) { [weak self] in
            self?.pause = nil
            self?.start()
        }
    }

    private func start() {
        guard isWanted, host.hasLiveCalls, !isThere, !isStarting, pause == nil, let bus = host.bus,
            let message = try? Message.call(
                to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "StartServiceByName",
                Contract.desktopBusName, UInt32(0))
        else { return }
        isStarting = true
        latest = .now
        bus.call(message, timeoutMilliseconds: Self.patience) { [weak self, weak bus] result in
            guard let self, let bus, host.bus === bus else { return }
            isStarting = false
            // One that has gone already, before the bus has answered, is started again.
            guard case .failure(let error) = result else { return start() }
            host.log.debug("the desktop agent was not started: \(error.name)")
            // If none is installed, the next call tries again.
            if error.name == DBusError.Name.serviceUnknown { isWanted = false }
            failed()
        }
    }
}
