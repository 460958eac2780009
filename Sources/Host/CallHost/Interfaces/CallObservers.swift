// CallObservers: the calls as they are shown on the links that observe them.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// One tree for each link that observes: it announces calls there as the bus announces them, without identities.
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
        // This tree only emits signals; method calls go on to be answered by the one that serves the link.
        let onCall = channel.onCall
        tree.serve(on: channel)
        channel.onCall = onCall
        tree.export(host.root, at: .system, objectManager: true)
        observers.append(Observer(channel: channel, tree: tree))
        for object in host.callObjects { export(object, in: tree) }
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

extension CallSystemHost {
    /// The calls on the bus, the oldest first.
    fileprivate var callObjects: [CallObject] {
        tree.paths.compactMap { tree.object(at: $0) as? CallObject }
            .sorted { ($0.call.startedAt, $0.id.low) < ($1.call.startedAt, $1.id.low) }
    }
}
