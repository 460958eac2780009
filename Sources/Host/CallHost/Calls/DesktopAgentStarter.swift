// DesktopAgentStarter: sees to it that somebody shows the calls that ring.

import CallCore
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
    /// The bus answers when the agent owns its name.
    private static let startTimeout = Duration.seconds(25)

    private let context: HostContext
    private let hasAudioAgent: @LoopActor () -> Bool
    private var watch: NameWatch?
    private var isThere = false
    private var isWanted = false
    private var isStarting = false
    private var backOff = BackOff(pauses: [.zero, .milliseconds(250), .seconds(1), .seconds(5), .seconds(10)])
    /// When the last one was started, or has come by itself.
    private var latest = MonotonicTime.now
    private var pause: LoopTimer?

    /// - Parameter hasAudioAgent: Whether somebody makes the desktop's sound give way to calls.
    init(_ context: HostContext, hasAudioAgent: @escaping @LoopActor () -> Bool) {
        self.context = context
        self.hasAudioAgent = hasAudioAgent
    }

    private var hasLiveCalls: Bool { !context.core.calls.live.isEmpty }

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
        guard !isThere, !hasAudioAgent() else { return }
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
        isWanted = hasLiveCalls
        failed()
    }

    private func failed() {
        let wait = backOff.pause(afterRunFrom: latest, to: .now) ?? .zero
        guard wait > .zero else { return start() }
        pause = LoopTimer(after: wait) { [weak self] in
            self?.pause = nil
            self?.start()
        }
    }

    private func start() {
        guard isWanted, hasLiveCalls, !isThere, !isStarting, pause == nil, let bus = context.bus,
            let message = try? Message.call(
                to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "StartServiceByName",
                Contract.desktopBusName, UInt32(0))
        else { return }
        isStarting = true
        latest = .now
        bus.call(message, timeout: Self.startTimeout) { [weak self, weak bus] result in
            guard let self, let bus, context.bus === bus else { return }
            isStarting = false
            // One that has gone already, before the bus has answered, is started again.
            guard case .failure(let error) = result else { return start() }
            context.log.debug("the desktop agent was not started: \(error.name)")
            // If none is installed, the next call tries again.
            if error.name == DBusError.Name.serviceUnknown { isWanted = false }
            failed()
        }
    }
}
