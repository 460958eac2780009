// LoginSession: the user's session as logind and the screen lock describe it.

import CallClient
import DBus
import EventLoop
import Logging

/// Keeps the machine awake while there are calls, and tells whether the screen is locked.
///
/// logind is on the system bus. Where there is no such bus, the part tries again when a call begins.
@LoopActor
final class LoginSession: DesktopPart {
    let name = "login"

    static let service = "org.freedesktop.login1"
    private static let sessionInterface = "org.freedesktop.login1.Session"
    private static let manager: ObjectPath = "/org/freedesktop/login1"
    private static let managerInterface = "org.freedesktop.login1.Manager"
    /// Where the system bus listens, if the environment does not say.
    private static let systemBus = "unix:path=/run/dbus/system_bus_socket"
    /// Attempts to reach the system bus, for 6 s in all; the next call begins anew.
    private static let maximumAttempts = 8
    private static let timeout = Duration.seconds(5)
    private static let lockSource = "logind"

    private let context: DesktopContext
    private let system: BusSession
    private let inhibitor: SleepInhibitor
    private let screenSavers: [ScreenSaverWatch]
    private var watch: NameWatch?
    private var changes: Subscription?
    /// The unique name of logind, while it is there.
    private var owner: String?
    /// Counts the owners, to recognize answers of one that has left.
    private var generation = 0

    init(_ context: DesktopContext) {
        self.context = context
        system = BusSession(
            address: context.environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? Self.systemBus,
            maximumAttempts: Self.maximumAttempts)
        inhibitor = SleepInhibitor(log: context.log)
        screenSavers = ScreenSaverWatch.all(for: context.screenLock)
        system.onConnected = { [weak self] in self?.reached($0) }
        system.onDisconnected = { [weak self] in self?.lost() }
        context.model.observe { [weak self] _ in self?.update() }
        system.start()
    }

    var status: PartStatus {
        guard owner != nil else {
            return .waiting(system.bus == nil ? "no system bus" : "no logind on the system bus")
        }
        if let error = inhibitor.lastError { return .waiting("logind lets the machine sleep: \(error.message)") }
        let sleep = inhibitor.isHeld ? "the machine stays awake" : "the machine may sleep"
        return .ready("logind: \(sleep), the screen is \(context.screenLock.isLocked ? "locked" : "unlocked")")
    }

    func connected(to bus: Bus) {
        for saver in screenSavers { saver.start(on: bus) }
    }

    func disconnected() {
        for saver in screenSavers { saver.stop() }
    }

    func settle() async { await system.settle() }

    func stop() {
        inhibitor.isWanted = false
        lost()
        system.stop()
    }

    // MARK: calls

    private func update() {
        let isWanted = context.model.state.calls.values.contains { $0.isLive }
        guard isWanted != inhibitor.isWanted else { return }
        inhibitor.isWanted = isWanted
        if isWanted { system.tryNow() }
    }

    // MARK: logind

    private func reached(_ bus: Bus) {
        watch = bus.watchName(Self.service) { [weak self, weak bus] owner in
            if let bus { self?.appeared(owner, on: bus) }
        } vanished: { [weak self] in
            self?.vanished()
        }
    }

    private func lost() {
        watch = nil
        vanished()
    }

    private func vanished() {
        generation += 1
        owner = nil
        changes = nil
        inhibitor.disconnected()
        context.screenLock.set(Self.lockSource, isLocked: false)
    }

    private func appeared(_ owner: String, on bus: Bus) {
        generation += 1
        self.owner = owner
        // Until it has answered: who calls is rather shown late than to everybody.
        context.screenLock.set(Self.lockSource, isLocked: true)
        inhibitor.connected(to: owner, on: bus)
        // The session of this process or, for a service of the user, the one of the user's display.
        ask(bus, owner, Self.manager, Self.managerInterface, "GetSession", "auto") { [weak self, weak bus] reply in
            guard let self, let bus else { return }
            guard let path = try? reply.get().read(ObjectPath.self) else {
                context.screenLock.set(Self.lockSource, isLocked: false)
                return
            }
            follow(path, of: owner, on: bus)
        }
    }

    /// Follows LockedHint, which the desktop's lock sets. The signals Lock and Unlock are only requests to it.
    private func follow(_ session: ObjectPath, of owner: String, on bus: Bus) {
        changes = bus.subscribe(
            MatchRule(
                sender: owner, path: session, interface: StandardInterface.properties, member: "PropertiesChanged",
                arg0: Self.sessionInterface)
        ) { [weak self, weak bus] message in
            guard let self, let (_, values, invalidated) = Self.changes(in: message) else { return }
            if let isLocked = try? values.value("LockedHint", as: Bool.self) {
                context.screenLock.set(Self.lockSource, isLocked: isLocked)
            } else if invalidated.contains("LockedHint"), let bus {
                readLock(session, of: owner, on: bus, otherwise: nil)
            }
        }
        readLock(session, of: owner, on: bus, otherwise: false)
    }

    private static func changes(in message: Message) -> (String, VariantDictionary, [String])? {
        try? message.read(String.self, VariantDictionary.self, [String].self)
    }

    /// - Parameter otherwise: what counts if logind does not say; nil = what counted before.
    private func readLock(_ session: ObjectPath, of owner: String, on bus: Bus, otherwise: Bool?) {
        ask(bus, owner, session, StandardInterface.properties, "Get", Self.sessionInterface, "LockedHint") {
            [weak self] reply in
            let isLocked = try? reply.get().read(Variant.self).value(as: Bool.self)
            guard let self, let isLocked = isLocked ?? otherwise else { return }
            context.screenLock.set(Self.lockSource, isLocked: isLocked)
        }
    }

    /// Asks logind. Answers of a logind that has left mean nothing.
    private func ask<each Argument: DBusType>(
        _ bus: Bus, _ owner: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument, answered: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        let current = generation
        guard let message = try? Message.call(to: owner, at: path, interface, member, repeat each arguments) else {
            return
        }
        bus.call(message, timeout: Self.timeout) { [weak self] result in
            if self?.generation == current { answered(result) }
        }
    }
}
