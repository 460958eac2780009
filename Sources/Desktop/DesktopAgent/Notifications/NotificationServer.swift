// NotificationServer: the desktop's server of notifications, over org.freedesktop.Notifications.

import CallModel
import DBus
import EventLoop

/// What the user or the server does with a notification.
enum NotificationEvent: Sendable, Equatable {
    /// The user has chosen an action.
    case action(id: UInt32, key: String)
    /// It is no longer shown. `isMeant`: it has expired or the user has dismissed it, so another server need not show it.
    case closed(id: UInt32, isMeant: Bool)
}

/// A client of the server that is there. The bus may start one for the first notification.
@LoopActor
final class NotificationServer {
    /// Called when a server has appeared, also in the place of another: it shows nothing of ours.
    var onAppeared: (@LoopActor () -> Void)?
    var onVanished: (@LoopActor () -> Void)?
    var onEvent: (@LoopActor (NotificationEvent) -> Void)?

    /// The server's name and version; nil while there is none, or it has not said.
    private(set) var description: String?
    /// With what the user's last click entitles a window to come to the front. Sent before the action.
    private(set) var activationToken = ""
    /// The unique name of the server.
    private(set) var owner: String?
    /// Tells the server from all others, those before it and on other buses included; nil if nobody says which bus this is.
    var identity: String? { owner.flatMap { owner in busID.map { "\($0) \(owner)" } } }
    /// The bus's own id.
    private var busID: String?
    /// What the server can do; nil before it has said.
    private var capabilities: Set<String>?

    private static let service = "org.freedesktop.Notifications"
    private static let path: ObjectPath = "/org/freedesktop/Notifications"
    private static let driver = "org.freedesktop.DBus"
    private static let timeout = 5_000
    /// More than any server has.
    private static let maximumCapabilities = 64
    /// The reasons of NotificationClosed: expired, and dismissed by the user.
    private static let meantReasons: Set<UInt32> = [1, 2]

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
        guard let message = try? Message.call(to: Self.driver, at: "/org/freedesktop/DBus", Self.driver, "GetId") else {
            return
        }
        bus.call(message, timeoutMilliseconds: Self.timeout) { [weak self] result in
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
        call("GetServerInformation") { [weak self] result in
            guard let self, self.owner == owner, case .success(let reply) = result,
                let (name, _, version, _) = try? reply.read(String.self, String.self, String.self, String.self)
            else { return }
            description = "\(name) \(version)".displayable
        }
        call("GetCapabilities") { [weak self] result in
            guard let self, self.owner == owner else { return }
            let words = (try? result.get().read([String].self)) ?? []
            capabilities = Set(words.prefix(Self.maximumCapabilities))
            onAppeared?()
        }
    }

    /// Whether a server is there and has said what it can do.
    var isReady: Bool { capabilities != nil }

    /// Lets the bus start a server if there is none.
    func wake() {
        if owner == nil { call("GetCapabilities") { _ in } }
    }

    private func vanished() {
        guard owner != nil else { return }
        owner = nil
        description = nil
        capabilities = nil
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
            onEvent?(.closed(id: id, isMeant: Self.meantReasons.contains(reason)))
        case "ActivationToken":
            guard let (_, token) = try? message.read(UInt32.self, String.self), token.utf8.count <= 1_024 else {
                return
            }
            activationToken = token
        default: break
        }
    }

    /// Shows a notification, in the place of another one of ours if `id` is not 0.
    func show(
        _ notification: DesktopNotification, replacing id: UInt32,
        shown: @escaping @LoopActor (Result<UInt32, DBusError>) -> Void
    ) {
        let capabilities = capabilities ?? []
        let hasActions = capabilities.contains("actions")
        let actions = hasActions ? notification.actions.flatMap { [$0.key, $0.label] } : []
        // Bodies are markup where the server reads it as such.
        let isMarkup = capabilities.contains("body-markup")
        let text = hasActions ? notification.body : notification.bodyWithoutActions
        let body = isMarkup ? text.escapedXML : text
        call(
            "Notify", "OpenCallKit", id, notification.icon, notification.title, body, actions, notification.hints,
            Int32(notification.isLasting ? 0 : -1)
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
        _ member: String, _ arguments: repeat each Argument,
        answered: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            guard let bus else { throw .disconnected }
            let message = try Message.call(
                to: owner ?? Self.service, at: Self.path, Self.service, member, repeat each arguments)
            bus.call(message, timeoutMilliseconds: Self.timeout, reply: answered)
        } catch {
            Loop.shared.post { answered(.failure(error)) }
        }
    }
}

extension DesktopNotification {
    /// What it says where no buttons can be shown.
    fileprivate var bodyWithoutActions: String { command.isEmpty ? body : "\(body)\nIn a terminal: \(command)" }

    fileprivate var hints: VariantDictionary {
        var hints: VariantDictionary = [
            "urgency": .byte(urgency.rawValue), "category": .string(category), "resident": .bool(isResident),
            // What is heard is the ringer's.
            "suppress-sound": .bool(true), "desktop-entry": "org.opencallkit.Phone",
        ]
        if !image.isEmpty { hints["image-path"] = .string(image) }
        return hints
    }
}
