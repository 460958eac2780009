// NotificationServer: the desktop's server of notifications, over org.freedesktop.Notifications.

import CallModel
import DBus
import EventLoop

/// What the user or the server does with a notification.
enum NotificationEvent: Sendable, Equatable {
    /// Why a notification is shown no longer, in the numbers of NotificationClosed.
    enum Closing: UInt32, Sendable {
        case expired = 1
        /// The user has closed it.
        case dismissed = 2
        /// Its program, or another one, has asked for it.
        case withdrawn = 3
        case undefined = 4
    }

    /// The user has chosen an action.
    case action(id: UInt32, key: String)
    case closed(id: UInt32, Closing)
}

/// A client of the server that is there. The bus may start one for the first notification.
@LoopActor
final class NotificationServer {
    /// Called when a server has appeared, also in the place of another: it shows nothing of ours.
    var onAppeared: (@LoopActor () -> Void)?
    /// Called when the server has said more of itself than was known.
    var onChanged: (@LoopActor () -> Void)?
    var onVanished: (@LoopActor () -> Void)?
    var onEvent: (@LoopActor (NotificationEvent) -> Void)?

    /// The server's name and version; nil while there is none, or it has not said.
    private(set) var description: String?
    /// What it does differently.
    private(set) var habits = ServerHabits.unknown
    /// Whether a server is there and has said what it can do, or takes too long to.
    private(set) var isReady = false
    /// With what the user's last click entitles a window to come to the front. Sent before the action.
    private(set) var activationToken = ""
    /// The unique name of the server.
    private(set) var owner: String?
    /// Tells the server from all others, those before it and on other buses included; nil if nobody says which bus this is.
    var identity: String? { owner.flatMap { owner in busID.map { "\($0) \(owner)" } } }
    /// The bus's own id.
    private var busID: String?
    /// What the server says that it can do.
    private var capabilities: Set<String> = []
    /// What the server has not answered yet.
    private var questions = 0
    /// Waits for the answers.
    private var answerTimer: LoopTimer?
    /// Wait until a question may be asked again.
    private var retries: [String: LoopTimer] = [:]

    private static let service = "org.freedesktop.Notifications"
    private static let path: ObjectPath = "/org/freedesktop/Notifications"
    private static let timeout = Duration.seconds(5)
    /// Desktops that begin take a while. A request that was given up would be carried out all the same, later.
    private static let noTimeout = Duration.zero
    /// Between attempts to ask a server of itself, and how many there are.
    private static let pause = Duration.seconds(1)
    private static let maximumAttempts = 60
    /// More than any server has.
    private static let maximumCapabilities = 64

    private var bus: Bus?
    private var watch: NameWatch?
    private var signals: Subscription?

    func connected(to bus: Bus) {
        self.bus = bus
        readBusID(of: bus)
        watch = bus.watchName(Self.service) { [weak self] in
            self?.appeared($0)
        } vanished: { [weak self] in
            self?.vanished()
        }
    }

    func disconnected() {
        watch = nil
        vanished()
        bus = nil
        busID = nil
    }

    /// The bus answers this before it says which server there is.
    private func readBusID(of bus: Bus) {
        guard let message = try? Message.call(to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "GetId")
        else {
            return
        }
        bus.call(message, timeout: Self.timeout) { [weak self] result in
            guard let self, self.bus === bus else { return }
            busID = (try? result.get().read(String.self)).flatMap { $0.contains(where: \.isWhitespace) ? nil : $0 }
        }
    }

    private func appeared(_ owner: String) {
        self.owner = owner
        // Some servers send signals to everybody, others to us alone; ids of another server's are not ours.
        signals = bus?.subscribe(MatchRule(sender: owner, path: Self.path, interface: Self.service)) { [weak self] in
            self?.receive($0)
        }
        isReady = false
        questions = 2
        answerTimer = LoopTimer(after: Self.timeout) { [weak self] in self?.begin() }
        ask("GetServerInformation", owner) { [weak self] reply in
            guard let self,
                let (name, _, version, _) = try? reply.read(String.self, String.self, String.self, String.self)
            else { return }
            description = "\(name) \(version)".displayable
            habits = .known(name, version)
        }
        ask("GetCapabilities", owner) { [weak self] reply in
            let words = (try? reply.read([String].self)) ?? []
            self?.capabilities = Set(words.prefix(Self.maximumCapabilities))
        }
    }

    /// Asks a server of itself. GNOME's name belongs to a helper that is there before the shell, and until then answers
    /// with errors (43.9, 48.7): such a server is asked again.
    private func ask(
        _ member: String, _ owner: String, attempts: Int = maximumAttempts,
        read: @escaping @LoopActor (Message) -> Void
    ) {
        guard self.owner == owner else { return }
        call(member, timeout: Self.noTimeout) { [weak self] result in
            guard let self, self.owner == owner else { return }
            if case .success(let reply) = result {
                read(reply)
            } else if attempts > 1 {
                retries[member] = LoopTimer(after: Self.pause) { [weak self] in
                    self?.ask(member, owner, attempts: attempts - 1, read: read)
                }
                return
            }
            answered()
        }
    }

    private func answered() {
        questions -= 1
        if isReady {
            onChanged?()
        } else if questions == 0 {
            begin()
        }
    }

    private func begin() {
        answerTimer = nil
        isReady = true
        onAppeared?()
    }

    /// Lets the bus start a server if there is none.
    func wake() {
        if owner == nil { call("GetCapabilities") { _ in } }
    }

    private func vanished() {
        guard owner != nil else { return }
        owner = nil
        description = nil
        habits = .unknown
        isReady = false
        answerTimer = nil
        retries = [:]
        capabilities = []
        signals = nil
        onVanished?()
    }

    private func receive(_ message: Message) {
        switch message.member {
        case "ActionInvoked":
            guard let (id, key) = try? message.read(UInt32.self, String.self) else { return }
            onEvent?(.action(id: id, key: key))
        case "NotificationClosed":
            guard let (id, reason) = try? message.read(UInt32.self, UInt32.self) else { return }
            // Cinnamon 5.6.8 says 0 of what the user has closed.
            onEvent?(
                .closed(id: id, reason == 0 ? .dismissed : NotificationEvent.Closing(rawValue: reason) ?? .undefined))
        case "ActivationToken":
            guard let (_, token) = try? message.read(UInt32.self, String.self), token.utf8.count <= 1_024 else {
                return
            }
            activationToken = token
        default: break
        }
    }

    /// Returns a notification as this server gets it.
    func drawn(
        _ notification: DesktopNotification, _ emphasis: DrawnNotification.Emphasis
    ) -> DrawnNotification {
        DrawnNotification(notification, emphasis, habits: habits, capabilities: capabilities)
    }

    /// Shows a notification, in the place of another one of ours if `id` is not 0.
    func show(
        _ drawn: DrawnNotification, replacing id: UInt32,
        shown: @escaping @LoopActor (Result<UInt32, DBusError>) -> Void
    ) {
        call(
            "Notify", PhoneApplication.displayName, id, drawn.icon, drawn.title, drawn.body, drawn.actions, drawn.hints,
            drawn.timeout, timeout: Self.noTimeout
        ) { result in
            shown(
                result.flatMap { reply in
                    Result { () throws(DBusError) in try reply.read(UInt32.self) }
                })
        }
    }

    func withdraw(_ id: UInt32) {
        guard owner != nil else { return }
        call("CloseNotification", id) { _ in }
    }

    private func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, timeout: Duration = timeout,
        answered: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            guard let bus else { throw .disconnected }
            let message = try Message.call(
                to: owner ?? Self.service, at: Self.path, Self.service, member, repeat each arguments)
            bus.call(message, timeout: timeout, reply: answered)
        } catch {
            Loop.shared.post { answered(.failure(error)) }
        }
    }
}
