// Phone: the program as a whole, and what all of its pages share.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

/// Follows the daemon, and shows it in one window. It leaves when the window is closed and there is no call.
@LoopActor
final class Phone {
    let application: Application
    let model = CallSystemModel()
    let words = CallWords { Localization.text($0) }
    private(set) var window: PhoneWindow?
    /// A number that was given before there was a window.
    private var number: String?

    /// The second name of the program, by which the agent has the bus start it.
    private static let windowName = "org.opencallkit.Phone.Window"

    init(_ application: Application) {
        self.application = application
        application.onStart { [weak self] in self?.start() }
        application.onActivate { [weak self] in self?.show() }
        application.onOpen { [weak self] in self?.open($0) }
    }

    private func start() {
        application.own(Self.windowName)
        application.style(Self.style)
        application.add("close", keys: "<Control>w") { [weak self] in self?.window?.close() }
        model.onConnected = { [weak self] in self?.startDaemon(on: $0) }
        model.observe { [weak self] in self?.follow($0) }
        model.start()
    }

    /// The bus starts the daemon for a message that is for it.
    func startDaemon(on bus: Bus? = nil) {
        guard let bus = bus ?? model.session.bus,
            let ping = try? Message.call(
                to: Contract.busName, at: DaemonPath.system, StandardInterface.peer, "Ping")
        else { return model.session.tryNow() }
        bus.call(ping, timeout: .seconds(25)) { [weak self] result in
            guard let self, case .failure(let error) = result else { return }
            window?.tellAbsence(reason: error.message)
        }
    }

    private func show() {
        if window == nil { window = PhoneWindow(self) }
        window?.present()
    }

    /// A link is a number to look at, and to call by a button.
    private func open(_ links: [String]) {
        show()
        if let link = links.first { window?.dial(link) }
    }

    private func follow(_ change: CallSystemChange) {
        window?.follow(change)
        leaveIfUnused()
    }

    /// Ends the program if nobody sees it and it has nothing to show.
    func leaveIfUnused() {
        guard let window, !window.isShown, liveCalls.isEmpty else { return }
        application.quit()
    }

    // MARK: calls

    var liveCalls: [PublishedCall] { model.state.calls.values.filter(\.isLive) }

    /// The name of a provider for people; one that has left is called by its id.
    func providerName(of call: PublishedCall) -> String {
        (model.state.provider(of: call)?.name ?? call.provider?.rawValue ?? "").displayable
    }

    func localized(_ english: String, _ values: [String: String] = [:]) -> String { words.localized(english, values) }

    // MARK: requests

    /// Asks the daemon for something, and tells the user if it is refused.
    ///
    /// - Parameter action: what the button says.
    func request<each Argument: DBusType>(
        _ action: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument, done: @escaping @LoopActor (Message) -> Void = { _ in }
    ) {
        model.request(path, interface, member, repeat each arguments) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let answer): done(answer)
            case .failure(let error): window?.tell("\(action): \(refusal(error))")
            }
        }
    }

    /// Asks something of a call.
    func act<each Argument: DBusType>(
        _ action: String, _ call: ObjectPath, _ member: String, _ arguments: repeat each Argument
    ) {
        request(action, call, Contract.call, member, repeat each arguments)
    }

    /// Calls somebody, and shows the call.
    func start(_ number: String, options: VariantDictionary = [:], started: @escaping @LoopActor () -> Void = {}) {
        request(
            localized("Call"), DaemonPath.system, Contract.callSystem, "StartCallWith", number, options
        ) { _ in started() }
    }

    private static let style = """
        .call-name { font-size: 150%; font-weight: bold; }
        .call-emergency { border: 3px solid @error_color; }
        .call-answer { background-color: #26a269; color: white; }
        .call-answer:hover { background-color: #2ec27e; }
        .dial-number { font-size: 150%; }
        .dial-key { font-size: 140%; min-height: 48px; }
        button.call-button, .call-button > button { min-height: 56px; padding: 4px; }
        """
}
