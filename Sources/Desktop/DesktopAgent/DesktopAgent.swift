// DesktopAgent: shows calls, rings, and makes room for them on the desktop.

import CallClient
import CallModel
import DBus
package import EventLoop
import Logging
import Sound

/// The agent: its parts, and the bus that they share.
@LoopActor
package final class DesktopAgent {
    /// Called if another agent owns the name, or takes it: this one steps back.
    package var onSuperseded: (@LoopActor () -> Void)?
    /// Called if there has been no session bus for as long as the deadline `bus` says.
    package var onBusGone: (@LoopActor () -> Void)?

    private let context: DesktopContext
    /// How long the parts have to end, in milliseconds.
    private static let patience = 500
    private let parts: [any DesktopPart]
    private let object: DesktopObject
    /// Runs while there is no bus.
    private var absence: LoopTimer?

    package init(_ context: DesktopContext) {
        self.context = context
        let ringer = Ringer(context)
        let notifications = CallNotifications(context)
        parts = [
            notifications, ringer, AudioSessionPart(context, ringer), AudioRoutes(context), LoginSession(context),
            PhoneLinks(context, notifications.board), EmergencyNotice(context, notifications.board),
            QuietDesktops(context), GnomeCallsFacade(context), EvolutionContacts(context), SettingsPart(context),
        ]
        object = DesktopObject(context, ringer, parts)
        context.model.onConnected = { [weak self] bus in self?.connected(to: bus) }
        context.model.onDisconnected = { [weak self] in
            for part in self?.parts ?? [] { part.disconnected() }
            self?.waitForBus()
        }
    }

    package func start() {
        waitForBus()
        context.sound.start()
        context.model.start()
    }

    /// Undoes what must not outlive the agent, and ends.
    package func stop() async {
        let (done, finish) = AsyncStream.makeStream(of: Void.self)
        let timer = LoopTimer(afterMilliseconds: Self.patience) { finish.finish() }
        Task {
            for part in parts { await part.stop() }
            finish.finish()
        }
        for await _ in done {}
        timer.cancel()
        context.model.session.bus?.flush()
        context.model.stop()
        context.sound.stop()
    }

    private func waitForBus() {
        absence = LoopTimer(afterMilliseconds: context.deadlines[.bus]) { [weak self] in self?.onBusGone?() }
    }

    private func connected(to bus: Bus) {
        absence = nil
        context.objects.serve(on: bus)
        bus.onNameLost = { [weak self] name in
            if name == Contract.desktopBusName { self?.onSuperseded?() }
        }
        bus.requestName(Contract.desktopBusName) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(.acquired), .success(.alreadyOwner): for part in parts { part.connected(to: bus) }
            case .success(.taken), .success(.queued): onSuperseded?()
            case .failure(let error): context.log.error("cannot own \(Contract.desktopBusName): \(error.message)")
            }
        }
    }
}
