// The seed's app as Swift 6.

import OpenCallKit

@testable import SeedCode6

final class Swift6App: SeedApp {
    private let application = UIApplication()
    private let screen: CallsViewController

    init() {
        UIApplication.shared = application
        _ = application.appDelegate.providerDelegate
        screen = CallsViewController()
    }

    private var manager: CallManager { application.appDelegate.callManager }
    var list: [String] { manager.calls.map { "\($0.handle) \($0.state)" } }
    var audioIsRunning: Bool { application.appDelegate.hasAudio }

    func makeCall(_ number: String, incoming: Bool) {
        let source = NewCallViewController()
        source.handle = number
        source.videoEnabled = true
        source.incoming = incoming
        screen.unwindForNewCall(UIStoryboardSegue(source: source))
    }

    func report(_ uuid: UUID, _ number: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        application.appDelegate.displayIncomingCall(uuid: uuid, handle: number, completion: completion)
    }

    func tap(row: Int) { screen.tableView(UITableView(), didSelectRowAt: [0, row]) }

    func swipe(row: Int) { screen.tableView(UITableView(), commit: .delete, forRowAt: [0, row]) }

    func endAndAnswer(row: Int, _ answered: UUID) { manager.endAndAnswer(manager.calls[row], answered) }
}
