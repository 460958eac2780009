// GnomeCallsFacade: shows calls to Phosh, whose lock screen knows org.gnome.Calls.

import CallClient
import CallModel
package import DBus
package import EventLoop
import Files

/// Serves org.gnome.Calls to Phosh, while it is there, nobody else does and the user has not chosen GNOME Calls. Phosh shows
/// its calls on the lock screen, with buttons. Nobody else is told who calls: the objects are for Phosh alone. On other
/// desktops the name is left to GNOME Calls, which would not start beside its owner.
@LoopActor
package final class GnomeCallsFacade: DesktopPart {
    package let name = "lock-screen"

    private static let service = "org.gnome.Calls"
    private static let path: ObjectPath = "/org/gnome/Calls"
    /// The application that a user has chosen instead.
    private static let rival = "org.gnome.Calls.desktop"

    private enum State {
        case off(String)
        /// The bus has been asked for the name.
        case asking
        case serving
    }

    /// What the root serves: nothing but the list of objects.
    private final class Root {}
    private static let rootInterface = Interface<Root>("org.gnome.Calls") {
        Property("Version", changes: .constant) { _ in OpenCallKitVersion.text }
    }

    private let context: DesktopContext
    private let root = Root()
    private let phosh: PhoshWatch
    private var bus: Bus?
    private var state = State.off("no session bus")
    private var shown: [ObjectPath: GnomeCall] = [:]
    /// The calls of `shown`, in the order in which they were announced.
    private var announced: [ObjectPath] = []

    package init(_ context: DesktopContext) {
        self.context = context
        phosh = PhoshWatch(environment: context.environment)
        phosh.onChange = { [weak self] in self?.decide() }
        context.model.observe { [weak self] _ in self?.update() }
        context.screenLock.observe { [weak self] in self?.update() }
        context.settings.observe { [weak self] in
            self?.decide()
            self?.update()
        }
    }

    package var status: PartStatus {
        switch state {
        case .off(let why): .waiting(why)
        case .asking: .waiting("asks for org.gnome.Calls")
        case .serving: .ready("serves org.gnome.Calls for Phosh")
        }
    }

    package func connected(to bus: Bus) {
        self.bus = bus
        phosh.connected(to: bus)
        decide()
    }

    package func disconnected() {
        bus = nil
        phosh.disconnected()
        cease("no session bus")
    }

    package func stop() async { cease("the agent ends") }

    // MARK: the name

    /// Why the name is left to others; nil if it is wanted.
    private var reason: String? {
        if !context.settings.values.servesGnomeCalls { return "gnome-calls = no in desktop.conf" }
        if phosh.owner == nil { return "Phosh is not there" }
        return isRivalChosen ? "GNOME Calls is the user's choice for tel: links" : nil
    }

    private func decide() {
        guard let bus else { return }
        if let reason { return cease(reason) }
        guard case .off = state else { return }
        state = .asking
        bus.requestName(Self.service) { [weak self] result in
            guard let self, self.bus === bus else { return }
            answered(result, on: bus)
        }
    }

    private func answered(_ result: Result<NameRequest, DBusError>, on bus: Bus) {
        let isOurs = result == .success(.acquired) || result == .success(.alreadyOwner)
        if case .serving = state { return }
        guard case .asking = state, let owner = phosh.owner else {
            if isOurs { release(on: bus) }
            return
        }
        guard isOurs else { return state = .off("another program serves org.gnome.Calls") }
        state = .serving
        context.objects.confidants[Self.path] = owner
        context.objects.export(root, at: Self.path, Self.rootInterface, objectManager: true)
        update()
    }

    /// Gives the name up, if it is ours.
    private func cease(_ reason: String) {
        let before = state
        state = .off(reason)
        guard case .serving = before else { return }
        update()
        context.objects.remove(Self.path)
        if let bus { release(on: bus) }
    }

    private func release(on bus: Bus) { Task { try? await bus.releaseName(Self.service) } }

    // MARK: calls

    private func update() {
        var calls: [ObjectPath: PublishedCall] = [:]
        if case .serving = state {
            for call in context.model.state.calls.values where call.isIdentified && !call.hasEnded {
                if let path = Self.path(of: call) { calls[path] = call }
            }
        }
        let isAnonymous = context.screenLock.isLocked && !context.settings.values.showsNamesWhenLocked
        let latest = announced.last
        for path in announced where calls[path] == nil { end(path) }
        if announced.last != latest { announceLatest() }
        for (path, call) in calls { show(call, at: path, isAnonymous: isAnonymous) }
    }

    private func show(_ call: PublishedCall, at path: ObjectPath, isAnonymous: Bool) {
        guard let object = shown[path] else {
            let object = GnomeCall(call, isAnonymous: isAnonymous, context.model)
            shown[path] = object
            announced.append(path)
            return context.objects.export(object, at: path, GnomeCall.interface)
        }
        change(object, at: path, to: call, isAnonymous: isAnonymous)
    }

    private func change(_ object: GnomeCall, at path: ObjectPath, to call: PublishedCall, isAnonymous: Bool) {
        guard object.call != call || object.isAnonymous != isAnonymous else { return }
        let before = GnomeCall(object.call, isAnonymous: object.isAnonymous, context.model)
        (object.call, object.isAnonymous) = (call, isAnonymous)
        let names = GnomeCall.interface.differences(between: before, and: object)
        if !names.isEmpty { context.objects.propertiesChanged(at: path, GnomeCall.interfaceName, names) }
    }

    /// The last state is told before the object goes.
    private func end(_ path: ObjectPath) {
        guard let object = shown.removeValue(forKey: path) else { return }
        var call = object.call
        call.state = .ended
        change(object, at: path, to: call, isAnonymous: object.isAnonymous)
        announced.removeAll { $0 == path }
        context.objects.remove(path)
    }

    /// Phosh shows the call that was announced last, and no other after its end. So the one before is announced again.
    private func announceLatest() {
        guard let path = announced.last, let call = shown[path] else { return }
        context.objects.remove(path)
        context.objects.export(call, at: path, GnomeCall.interface)
    }

    private static func path(of call: PublishedCall) -> ObjectPath? {
        ObjectPath("\(path.text)/Call/\(call.path.lastElement)")
    }

    /// Whether the user's default for tel: links is GNOME Calls.
    private var isRivalChosen: Bool {
        for path in ConfigurationText.paths(of: "mimeapps.list", in: context.environment) {
            guard let text = try? ConfigurationText.read(path),
                let value = text.value(of: "x-scheme-handler/tel", in: "[Default Applications]")
            else { continue }
            return value.split(separator: ";").first.map(String.init) == Self.rival
        }
        return false
    }
}
