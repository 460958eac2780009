// Turns signals of the bus into events: connects, reads all objects, then listens; starts over when the daemon returns.

import CallClient
import CallModel
import DBus
import EventLoop

/// Follows the daemon and passes each event to `report`.
///
/// The match rule is set before the objects are read, so no signal is lost. Signals that arrive before the answer are
/// older than the answer: only those that carry more than a state are passed on.
@LoopActor
final class Watcher {
    private let bus: BusSession
    private let report: @LoopActor (WatchEvent) -> Void
    private var state = WatchState()
    private var subscription: Subscription?
    private var nameWatch: NameWatch?
    /// Counts the daemons seen, to recognize answers of a daemon that has left.
    private var generation = 0
    private var hasBegun = false

    init(on address: String?, report: @escaping @LoopActor (WatchEvent) -> Void) {
        self.report = report
        bus = BusSession(address: address)
        bus.onConnected = { [weak self] bus in self?.connected(to: bus) }
        bus.onDisconnected = { [weak self] in self?.disconnected() }
        bus.start()
    }

    func stop() {
        forget()
        bus.stop()
    }

    private func connected(to bus: Bus) {
        subscription = bus.subscribe(MatchRule(sender: Contract.busName, pathNamespace: DaemonPath.system)) {
            [weak self] message in
            guard let self else { return }
            // A signal with other types does not come from the daemon, or comes from another version.
            for event in (try? events(in: message)) ?? [] { report(event) }
            readIdentities(on: bus)
        }
        nameWatch = bus.watchName(Contract.busName) { [weak self] _ in
            self?.appeared(on: bus)
        } vanished: { [weak self] in
            self?.vanished()
        }
    }

    private func disconnected() {
        forget()
        report(WatchEvent(.bus, nil, "the bus has gone", [JSON.Member("connected", .bool(false))]))
    }

    private func forget() {
        subscription = nil
        nameWatch = nil
        startOver()
    }

    private func startOver() {
        generation += 1
        hasBegun = false
        state.lost()
    }

    private func vanished() {
        startOver()
        report(WatchEvent(.daemon, nil, "callkitd is not there", [JSON.Member("running", .bool(false))]))
    }

    private func appeared(on bus: Bus) {
        startOver()
        let current = generation
        ask(bus, DaemonPath.system, StandardInterface.objectManager, "GetManagedObjects") { [weak self] answer in
            guard let self, generation == current, let objects = try? answer.read(ManagedObjects.self) else { return }
            hasBegun = true
            for event in state.began(Snapshot(objects)) { report(event) }
            readIdentities(on: bus)
        }
    }

    private func events(in message: Message) throws(DBusError) -> [WatchEvent] {
        guard let path = message.path else { return [] }
        switch (message.interface, message.member) {
        case (Contract.callSystem, "CallEnded"):
            let (call, reason, origin) = try message.read(ObjectPath.self, String.self, String.self)
            return [state.ended(call, reason: reason, origin: origin, at: .now)]
        case (Contract.callSystem, "CallFiltered"):
            let (provider, reason, source, _) = try message.read(
                ObjectPath.self, String.self, String.self, Int64.self)
            return [state.filtered(provider, reason: reason, by: source)]
        case (Contract.callSystem, "ResumeSuggested"):
            return [state.resumeSuggested(try message.read(ObjectPath.self))]
        case (Contract.callSystem, "Anomaly"):
            let (kind, object, text) = try message.read(String.self, ObjectPath.self, String.self)
            return [state.anomaly(kind, object, text)]
        case (Contract.recents, "Changed"):
            readRow(try message.read(Int64.self))
            return []
        case (Contract.directory, "Changed"):
            let source = try message.read(String.self)
            if source == "user" { return [state.lists(source)] }
            readReport(source)
            return []
        case _ where !hasBegun:
            return []
        case (StandardInterface.objectManager, "InterfacesAdded"):
            let (object, interfaces) = try message.read(ObjectPath.self, [String: VariantDictionary].self)
            return state.added(object, interfaces)
        case (StandardInterface.objectManager, "InterfacesRemoved"):
            let (object, interfaces) = try message.read(ObjectPath.self, [String].self)
            return state.removed(object, interfaces)
        case (StandardInterface.properties, "PropertiesChanged"):
            let (interface, changed, invalidated) = try message.read(
                String.self, VariantDictionary.self, [String].self)
            return state.changed(path, interface, changed, invalidated: invalidated)
        default:
            return []
        }
    }

    /// Reads the identity of new calls, which is never broadcast.
    private func readIdentities(on bus: Bus) {
        let current = generation
        for call in state.takeUnidentified() {
            ask(bus, call, StandardInterface.properties, "GetAll", Contract.callIdentity) { [weak self] answer in
                guard let self, generation == current, let identity = try? answer.read(VariantDictionary.self) else {
                    return
                }
                for event in state.identified(call, identity) { report(event) }
            }
        }
    }

    /// Reads a new row of the recents: the signal carries neither the caller nor whether the call was missed.
    private func readRow(_ id: Int64) {
        guard let bus = bus.bus, id > 0, id < .max else { return }
        let current = generation
        let filter: VariantDictionary = ["before": .int64(id + 1), "missed": .bool(true)]
        ask(bus, DaemonPath.recents, Contract.recents, "List", filter, UInt32(0), UInt32(1)) { [weak self] answer in
            guard let self, generation == current,
                let row = try? answer.read([VariantDictionary].self).first.map(RecentCall.init(properties:)),
                row.id == UInt64(id)
            else { return }
            for event in state.row(row) { report(event) }
        }
    }

    /// Reads the report of an extension whose lists have changed.
    private func readReport(_ source: String) {
        guard let bus = bus.bus else { return }
        let current = generation
        ask(
            bus, Session.extensionPath(source), StandardInterface.properties, "GetAll", Contract.directoryExtension
        ) { [weak self] answer in
            guard let self, generation == current, let found = try? answer.read(VariantDictionary.self),
                let extensionReport = ExtensionReport(id: source, of: found)
            else { return }
            report(state.lists(source, extensionReport))
        }
    }

    /// Calls a method with a callback, which keeps answers and signals in the order in which they arrive.
    private func ask<each Argument: DBusType>(
        _ bus: Bus, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: repeat each Argument,
        answered: @escaping @LoopActor (Message) -> Void
    ) {
        guard
            let message = try? Message.call(
                to: Contract.busName, at: path, interface, member, repeat each arguments)
        else { return }
        message.autoStart = false
        bus.call(message, timeoutMilliseconds: Session.quickMilliseconds) { result in
            // An error means that the call or the daemon has gone; a signal reports that.
            if case .success(let answer) = result { answered(answer) }
        }
    }
}
