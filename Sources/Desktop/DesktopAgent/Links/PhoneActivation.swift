// PhoneActivation: what the phone shows when its icon is clicked.

import CallClient
import DBus
import EventLoop

/// The phone's window, which the bus starts if it is installed. Without it, a click shows the calls and what waits for an
/// answer again, as notifications, or tells how to call.
@LoopActor
final class PhoneActivation {
    private let context: DesktopContext
    private let board: NotificationBoard

    init(_ context: DesktopContext, _ board: NotificationBoard) {
        self.context = context
        self.board = board
        context.model.observe { [weak self] _ in self?.withdrawHelp() }
    }

    func activate() {
        guard let bus = context.model.session.bus,
            let message = try? Message.call(
                to: Self.window, at: PhoneApplication.path, PhoneApplication.interfaceName, "Activate",
                VariantDictionary())
        else { return }
        bus.call(message, timeout: Self.patience) { [weak self] result in
            if case .failure = result { self?.showNotifications() }
        }
    }

    /// The second name of the phone's window on the bus.
    private static let window = "org.opencallkit.Phone.Window"
    private static let patience = Duration.seconds(25)

    private func showNotifications() {
        let isShown = board.present()
        guard !isShown, !context.model.state.calls.values.contains(where: \.isLive) else { return }
        board.show(Self.key, .help) { _ in }
        board.showAgain(Self.key)
    }

    private static let key = "help"

    /// It says that there is no call.
    private func withdrawHelp() {
        if context.model.state.calls.values.contains(where: \.isLive) { board.withdraw(Self.key) }
    }
}

extension DesktopNotification {
    fileprivate static let help = DesktopNotification(
        title: "No call",
        body: "Click a telephone number in a program to call it. In a terminal, callctl start NUMBER calls, and "
            + "callctl recents lists past calls.",
        category: "x-opencallkit.help")
}
