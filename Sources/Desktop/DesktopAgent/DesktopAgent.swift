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
    /// How long the parts have to end.
    private static let farewell = Duration.milliseconds(500)
    /// The longest time for which a reader of the parts' status waits until they know it.
    private static let settlingTimeout = Duration.seconds(2)
    private let parts: [any DesktopPart]
    private let object: DesktopObject
    /// Runs while there is no bus.
    private var absence: LoopTimer?
    /// Open once the parts have found what there is on the bus. Calls arrive before that, as soon as the agent has its name.
    private let beginning = Gate()
    /// How many messages wait until the parts know. Further ones are answered at once.
    private var kept = 0
    private static let maximumKept = 64

    package init(_ context: DesktopContext) {
        self.context = context
        let ringer = Ringer(context)
        let notifications = CallNotifications(context)
        parts = [
            notifications, ringer, AudioSessionPart(context, ringer), AudioRoutes(context), LoginSession(context),
            PhoneLinks(context, notifications.board), EmergencyNotice(context, notifications.board),
            QuietDesktops(context), GnomeCallsFacade(context), EvolutionContacts(context), MediaKeys(context),
            GlobalShortcuts(context), SettingsPart(context),
        ]
        object = DesktopObject(context, ringer, parts)
        context.model.onConnected = { [weak self] bus in self?.connected(to: bus) }
        context.model.onDisconnected = { [weak self] in
            self?.beginning.close()
            for part in self?.parts ?? [] { part.disconnected() }
            self?.waitForBus()
        }
        context.objects.postpone = { [weak self] in self?.postpone($0, $1) ?? false }
    }

    package func start() {
        waitForBus()
        context.sound.start()
        context.model.start()
    }

    /// Undoes what must not outlive the agent, and ends.
    package func stop() async {
        await Gate.wait(atMost: Self.farewell) { for part in self.parts { await part.stop() } }
        context.model.session.bus?.flush()
        context.model.stop()
        context.sound.stop()
    }

    private func waitForBus() {
        absence = LoopTimer(after: context.deadlines[.bus]) { [weak self] in self?.onBusGone?() }
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
            case .success(.acquired), .success(.alreadyOwner): begin(on: bus)
            case .success(.taken), .success(.queued): onSuperseded?()
            case .failure(let error): context.log.error("cannot own \(Contract.desktopBusName): \(error.message)")
            }
        }
    }

    private func begin(on bus: Bus) {
        for part in parts { part.connected(to: bus) }
        Task {
            await Gate.wait(atMost: Self.settlingTimeout) {
                await self.settle()
                await bus.settle()
            }
            beginning.open()
        }
    }

    private func settle() async {
        for part in parts { await part.settle() }
    }

    /// Keeps what is asked of the agent's own object until the parts have begun, and what is read until they know.
    private func postpone(_ message: Message, _ channel: any MessageChannel) -> Bool {
        let isRead = message.interface == StandardInterface.properties && message.member != "Set"
        guard message.path?.text == Contract.desktopPath, isRead || !beginning.isOpen, kept < Self.maximumKept else {
            return false
        }
        kept += 1
        Task {
            await beginning.pass()
            if isRead { await Gate.wait(atMost: Self.settlingTimeout) { await self.settle() } }
            kept -= 1
            context.objects.handle(message, on: channel)
        }
        return true
    }
}
