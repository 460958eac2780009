// EmergencyNotice: tells once, before somebody needs it, that nobody reaches the emergency services.

import CallClient
import CallModel
import DBus
import EventLoop
import Logging

/// A quiet notification if there are providers of phone numbers and none of them reaches the emergency services. It is
/// shown once; the settings remember that.
@LoopActor
final class EmergencyNotice: DesktopPart {
    let name = "emergency calls"

    private let context: DesktopContext
    private let board: NotificationBoard
    /// Modems and accounts take a while to be there.
    private var wait: LoopTimer?
    /// Whether this agent has told it, even if that cannot be kept.
    private var wasTold = false

    init(_ context: DesktopContext, _ board: NotificationBoard) {
        self.context = context
        self.board = board
        context.model.observe { [weak self] _ in self?.update() }
        context.settings.observe { [weak self] in self?.update() }
    }

    var status: PartStatus {
        context.model.state.providers.values.emergencyText.map { .ready($0) }
            ?? .waiting("no provider reaches the emergency services")
    }

    func connected(to bus: Bus) {}

    func disconnected() { wait = nil }

    func stop() {}

    private func update() {
        let providers = context.model.state.providers.values
        let isWrong = providers.contains(where: \.takesPhoneNumbers) && providers.emergencyText == nil
        guard isWrong, !context.settings.values.toldOfEmergencies, !wasTold else { return wait = nil }
        guard wait == nil else { return }
        wait = LoopTimer(after: context.deadlines[.emergency]) { [weak self] in self?.tell() }
    }

    private func tell() {
        board.show("emergency", .noEmergencyCalls) { _ in }
        wasTold = true
        do {
            try context.settings.change { $0.toldOfEmergencies = true }
        } catch {
            context.log.notice("cannot keep that emergency calls were told of: \(error)")
        }
    }
}

extension DesktopNotification {
    fileprivate static let noEmergencyCalls = DesktopNotification(
        title: "No emergency calls here",
        body: "No provider of calls on this machine reaches the emergency services. Call them with another phone.",
        command: "callctl doctor", urgency: .low, category: "x-opencallkit.emergency", icon: "dialog-information")
}
