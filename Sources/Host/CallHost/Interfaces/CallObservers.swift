// CallObservers: the calls as they are shown to those who asked for them on their links.

import CallCore
import CallModel
import DBus
import EventLoop

/// One tree for each link that observes: it announces calls there as the bus announces them, and nothing else. Links
/// that do not observe get nothing and cost nothing. Identities are not announced, as on the bus.
@LoopActor
final class CallObservers {
    private struct Observer {
        weak var channel: (any MessageChannel)?
        let tree: ObjectTree
    }

    private var observers: [Observer] = []

    /// Begins or ends to tell a link of calls. Those that exist are announced at once, each as `InterfacesAdded`.
    func set(_ observes: Bool, for channel: any MessageChannel, of host: CallSystemHost) {
        let known = observers.contains { $0.channel === channel }
        guard observes != known else { return }
        if !observes {
            observers.removeAll { $0.channel === channel }
            return
        }
        let tree = ObjectTree()
        // The tree talks; calls of methods go on to be answered by the one that serves the link.
        let onCall = channel.onCall
        tree.serve(on: channel)
        channel.onCall = onCall
        tree.export(CallSystemObject(host: host), at: .system, objectManager: true)
        observers.append(Observer(channel: channel, tree: tree))
        let calls = host.machine.calls.values.sorted { ($0.startedAt, $0.id.low) < ($1.startedAt, $1.id.low) }
        for call in calls { export(call.id, of: host, in: tree) }
    }

    /// Tells what has become of calls.
    func follow(_ step: Step, of host: CallSystemHost) {
        guard !observers.isEmpty else { return }
        observers.removeAll { $0.channel?.isOpen != true }
        for observer in observers {
            step.each { _, effect, call in follow(effect, call, of: host, in: observer.tree) }
        }
    }

    /// Tells at once what was to be told next.
    func announceNow() {
        for observer in observers { observer.tree.announceNow() }
    }

    private func follow(_ effect: Effect, _ call: Call?, of host: CallSystemHost, in tree: ObjectTree) {
        switch (effect, call) {
        case (.callAdded(let call), _): export(call, of: host, in: tree)
        case (.callChanged(let id, let changes), let call?):
            let names = changes.propertyNames
            let copy = CallObject(id, host: host, copy: call)
            let path = CallObject.path(of: id)
            if !names.isEmpty { tree.propertiesChanged(of: copy, at: path, CallObject.callInterface, names) }
        case (.callRemoved(let call), _): tree.remove(CallObject.path(of: call))
        default: break
        }
    }

    private func export(_ call: CallID, of host: CallSystemHost, in tree: ObjectTree) {
        tree.export(CallObject(call, host: host), at: CallObject.path(of: call), CallObject.callInterface)
    }
}
