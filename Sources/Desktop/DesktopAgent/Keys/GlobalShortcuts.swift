// GlobalShortcuts: keys for calls that the desktop's portal keeps.

import CallClient
import CallModel
import DBus
import EventLoop
import Logging

/// Binds one key for each thing to do with a call, at org.freedesktop.portal.GlobalShortcuts. The desktop may ask the user
/// for it: so nothing is bound until the user wants that, and from then on again with each start.
@LoopActor
final class GlobalShortcuts: DesktopPart {
    let name = "shortcuts"

    private static let portal = "org.freedesktop.portal.GlobalShortcuts"
    private static let quickTimeout = Duration.seconds(5)
    private static let path = ObjectPath(Contract.desktopPath) ?? .root

    private enum State {
        case unbound, binding, bound
        case failed(String)
    }

    /// What triggers each key, in the desktop's words, by the key's word; empty while nothing is bound.
    private(set) var triggers: [String: String] = [:] {
        didSet { if triggers != oldValue { tell() } }
    }

    private let context: DesktopContext
    private var state = State.unbound
    private var session: ObjectPath?
    private var sessions = 0
    private var bus: Bus?
    private var portal: NameWatch?
    private var signals: [Subscription] = []
    private var request: PortalRequest?
    private var waiting: [Invocation<[String: String]>] = []
    /// Whether the portal knows which application this connection is.
    private var isRegistered = false

    init(_ context: DesktopContext) {
        self.context = context
        context.objects.export(self, at: Self.path, Self.interface)
    }

    static let interface = Interface<GlobalShortcuts>(Contract.shortcuts) {
        DeferredMethod("Bind", out: ["triggers"]) {
            (shortcuts: GlobalShortcuts, invocation: Invocation<[String: String]>) in shortcuts.bind(for: invocation)
        }
        Method("Release") { (shortcuts: GlobalShortcuts, _) throws(DBusError) in try shortcuts.release() }
        Property("Triggers") { $0.triggers }
    }

    var status: PartStatus {
        switch state {
        case .unbound: .ready("no keys; callctl desktop keys binds some")
        case .binding: .waiting("the desktop binds keys")
        case .bound where triggers.isEmpty: .waiting("no key is chosen in the desktop's settings")
        case .bound: .ready(triggersText)
        case .failed(let why): .waiting(why.displayable)
        }
    }

    private var triggersText: String {
        let texts = CallKey.allCases.compactMap { key in triggers[key.rawValue].map { "\(key.rawValue): \($0)" } }
        return texts.joined(separator: ", ").displayable
    }

    func connected(to bus: Bus) {
        self.bus = bus
        // A portal that comes back knows nothing of sessions. One that is not there yet is started by the first request.
        var isFirst = true
        portal = bus.watchName(PortalRequest.service) { [weak self] _ in
            isFirst = false
            self?.bindAgain()
        } vanished: { [weak self] in
            self?.lose()
            if isFirst { self?.bindAgain() }
            isFirst = false
        }
    }

    func disconnected() {
        (bus, portal) = (nil, nil)
        lose()
    }

    func stop() { disconnected() }

    private func lose() {
        request = nil
        isRegistered = false
        if case .binding = state { fail(.disconnected) }
        forget()
    }

    private func forget() {
        session = nil
        signals = []
        state = .unbound
        triggers = [:]
    }

    // MARK: binding

    private func bindAgain() {
        guard context.settings.values.bindsShortcuts else { return }
        switch state {
        case .unbound, .failed: begin()
        case .binding, .bound: break
        }
    }

    private func bind(for invocation: Invocation<[String: String]>) {
        if case .bound = state { return invocation.reply(triggers) }
        waiting.append(invocation)
        if case .binding = state { return }
        begin()
    }

    private func begin() {
        guard let bus else { return fail(.disconnected) }
        state = .binding
        register(on: bus) { [weak self] in self?.createSession() }
    }

    /// Tells the portal which application this is, before anything else is asked of it; version 1.20 and later know how.
    /// Earlier ones take the name from the systemd unit, and know no name for the agent's.
    private func register(on bus: Bus, then: @escaping @LoopActor () -> Void) {
        guard !isRegistered,
            let message = try? Message.call(
                to: PortalRequest.service, at: PortalRequest.path, "org.freedesktop.host.portal.Registry", "Register",
                PhoneApplication.busName, VariantDictionary())
        else { return then() }
        bus.call(message, timeout: Self.quickTimeout) { [weak self, log = context.log] result in
            if case .failure(let error) = result {
                log.info("the desktop's portal does not take the name of the application: \(error.message)")
            }
            self?.isRegistered = true
            then()
        }
    }

    private func createSession() {
        sessions += 1
        let token = "opencallkit\(sessions)"
        ask { options throws(DBusError) in
            var options = options
            options["session_handle_token"] = .string(token)
            return try Self.call("CreateSession", options)
        } then: { shortcuts, results in
            let text: String = results["session_handle", default: ""]
            guard let session = ObjectPath(text), session != .root else {
                return shortcuts.fail(DBusError(DBusError.Name.failed, "the portal has made no session"))
            }
            shortcuts.session = session
            shortcuts.listen(to: session)
            shortcuts.bindKeys(in: session)
        }
    }

    private func bindKeys(in session: ObjectPath) {
        let keys = CallKey.allCases.map { key in
            Struct(
                key.rawValue,
                [
                    "description": .string(key.label), "preferred_trigger": .string("LOGO+SHIFT+\(key.letter)"),
                ] as VariantDictionary)
        }
        ask { options throws(DBusError) in
            try Self.call("BindShortcuts", session, keys, "", options)
        } then: { shortcuts, results in
            shortcuts.state = .bound
            shortcuts.apply(results)
            shortcuts.succeed()
        }
    }

    private func ask(
        _ message: (VariantDictionary) throws(DBusError) -> Message,
        then: @escaping @LoopActor (GlobalShortcuts, VariantDictionary) -> Void
    ) {
        guard let bus else { return fail(.disconnected) }
        request = PortalRequest(on: bus, timeout: context.deadlines[.question], message) { [weak self] result in
            guard let self else { return }
            request = nil
            switch result {
            case .success(let results): then(self, results)
            case .failure(let error): fail(error)
            }
        }
    }

    private static func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument
    ) throws(DBusError) -> Message {
        try Message.call(to: PortalRequest.service, at: PortalRequest.path, portal, member, repeat each arguments)
    }

    private func succeed() {
        let (answered, triggers) = (waiting, triggers)
        waiting = []
        do throws(SystemError) {
            try context.settings.change { $0.bindsShortcuts = true }
            for invocation in answered { invocation.reply(triggers) }
        } catch {
            for invocation in answered { invocation.fail(context.settings.unavailable(error)) }
        }
    }

    private func fail(_ error: DBusError) {
        let missing = [
            DBusError.Name.unknownMethod, DBusError.Name.unknownInterface, DBusError.Name.unknownObject,
            DBusError.Name.serviceUnknown, DBusError.Name.nameHasNoOwner,
        ]
        let isMissing = missing.contains(error.name) || error.name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
        let told =
            isMissing
            ? DBusError(DBusError.Name.notSupported, "the desktop has no portal for global shortcuts") : error
        close()
        forget()
        state = .failed(told.message)
        let answered = waiting
        waiting = []
        for invocation in answered { invocation.fail(told) }
    }

    private func release() throws(DBusError) {
        do throws(SystemError) {
            try context.settings.change { $0.bindsShortcuts = false }
        } catch {
            throw context.settings.unavailable(error)
        }
        close()
        forget()
    }

    private func close() {
        guard let session, let bus,
            let message = try? Message.call(
                to: PortalRequest.service, at: session, "org.freedesktop.portal.Session", "Close")
        else { return }
        message.autoStart = false
        message.expectsReply = false
        bus.send(message)
    }

    // MARK: what the portal tells

    private func listen(to session: ObjectPath) {
        guard let bus else { return }
        func follow(
            _ interface: String, _ member: String, at path: ObjectPath, _ told: @escaping @LoopActor (Message) -> Void
        ) {
            let rule = MatchRule(sender: PortalRequest.service, path: path, interface: interface, member: member)
            signals.append(bus.subscribe(rule, handler: told))
        }
        follow(Self.portal, "Activated", at: PortalRequest.path) { [weak self] message in
            guard
                let (owner, key, _, _) = try? message.read(
                    ObjectPath.self, String.self, UInt64.self, VariantDictionary.self), owner == session
            else { return }
            self?.press(key)
        }
        follow(Self.portal, "ShortcutsChanged", at: PortalRequest.path) { [weak self] message in
            guard
                let (owner, keys) = try? message.read(ObjectPath.self, [Struct<String, VariantDictionary>].self),
                owner == session
            else { return }
            self?.apply(keys)
        }
        follow("org.freedesktop.portal.Session", "Closed", at: session) { [weak self] _ in self?.lose() }
    }

    private func apply(_ results: VariantDictionary) {
        apply(results["shortcuts"].flatMap { try? $0.value() } ?? [])
    }

    private func apply(_ keys: [Struct<String, VariantDictionary>]) {
        var triggers: [String: String] = [:]
        for key in keys {
            let (id, values) = key.fields
            if CallKey(rawValue: id) != nil { triggers[id] = values["trigger_description", default: ""].displayable }
        }
        self.triggers = triggers
    }

    private func press(_ word: String) {
        guard let key = CallKey(rawValue: word) else { return }
        context.model.press(key) { [log = context.log] result in
            if case .failure(let error) = result { log.notice("the key \(word) failed: \(error.message)") }
        }
    }

    private func tell() {
        context.objects.propertiesChanged(at: Self.path, Contract.shortcuts, ["Triggers"])
    }
}
