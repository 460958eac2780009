// A call on the bus: two interfaces on one object, one that anybody may see and one that says who it is.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// Shows a call as it was announced last.
@LoopActor
final class CallObject {
    private(set) var call: Call
    private(set) var published: PublishedCall
    unowned let calls: Calls
    let pacer = ChangePacer()
    /// What has changed and was not told.
    private var untold: CallChanges = []

    init(_ call: Call, of calls: Calls) {
        self.call = call
        published = call.published
        self.calls = calls
    }

    /// The call as its provider has reported it.
    var asReported: CallObject { CallObject(call.asReported, of: calls) }

    var id: CallID { call.id }
    private(set) lazy var path = ObjectPath.call(id)

    /// Notes what is to be told when the call's new values are shown.
    func note(_ changes: CallChanges) { untold.formUnion(changes) }

    /// Shows the call's new values, and returns what was not told of them.
    func show(_ call: Call) -> CallChanges {
        self.call = call
        published = call.published
        defer { untold = [] }
        return untold
    }
}

/// One tree for each link that observes: it announces calls there as the bus announces them, without identities.
@LoopActor
final class CallObservers {
    private struct Observer {
        weak var channel: (any MessageChannel)?
        let tree: ObjectTree
    }

    private var observers: [Observer] = []

    /// Begins or ends to tell a link of calls. Those that exist are announced at once, each as `InterfacesAdded`.
    func set(_ observes: Bool, for channel: any MessageChannel, calls: () -> [CallObject]) {
        let known = observers.contains { $0.channel === channel }
        guard observes != known else { return }
        if !observes {
            observers.removeAll { $0.channel === channel }
            return
        }
        let tree = ObjectTree()
        // This tree only emits signals; method calls go on to be answered by the one that serves the link.
        let onCall = channel.onCall
        tree.serve(on: channel)
        channel.onCall = onCall
        tree.export(self, at: .system, objectManager: true)
        observers.append(Observer(channel: channel, tree: tree))
        for object in calls() { export(object, in: tree) }
    }

    func added(_ object: CallObject) {
        observers.removeAll { $0.channel?.isOpen != true }
        for observer in observers { export(object, in: observer.tree) }
    }

    func changed(_ object: CallObject, _ properties: [String]) {
        for observer in observers { observer.tree.propertiesChanged(at: object.path, Contract.call, properties) }
    }

    func removed(_ path: ObjectPath) {
        for observer in observers { observer.tree.remove(path) }
    }

    private func export(_ object: CallObject, in tree: ObjectTree) {
        tree.export(object, at: object.path, CallObject.callInterface)
    }
}

/// Tells of at most 20 changes in any second. What comes too soon is told together a little later; the last one always is.
@LoopActor
final class ChangePacer {
    private var limit = RateLimit(burst: 10, every: 100_000)
    private var held: (@LoopActor () -> Void)?
    private var timer: (any HostTimer)?

    /// Tells of a change now, and of what was held back with it.
    func tellNow(_ tell: @LoopActor () -> Void) {
        held = nil
        timer = nil
        tell()
    }

    /// Tells of a change as soon as the rate allows it, unless `tell` of a later one takes its place.
    func tellInTime(on clock: any HostClock, _ tell: @escaping @LoopActor () -> Void) {
        let now = clock.now
        if held == nil, limit.take(at: now) { return tell() }
        held = tell
        guard timer == nil else { return }
        let pause = limit.wait(at: now)
        timer = clock.timer(at: Instant(uptime: now.uptime + pause, date: now.date + pause)) { [weak self] in
            guard let self, let held else { return }
            _ = limit.take(at: clock.now)
            tellNow(held)
        }
    }
}
