// The client's model of the bus: connects, reads all objects, then listens; starts over when the daemon returns.

import CallModel
import CallWire
package import DBus
package import EventLoop

/// Follows the daemon over one bus session, and passes each change to all observers after it was made in `state`.
///
/// The match rule is set before the objects are read, so no signal is lost. Signals that arrive before the answer are
/// older than the answer: only those that carry more than a state are passed on.
@LoopActor
package final class CallSystemModel {
    /// The time limit for requests that the daemon answers by itself.
    package nonisolated static let quickTimeout = Duration.seconds(10)

    package let session: BusSession
    package private(set) var state = CallSystemState()
    /// Whether the daemon is there and `state` has its objects.
    package private(set) var hasBegun = false
    /// Called after the session is connected, before anything else is done.
    package var onConnected: (@LoopActor (Bus) -> Void)?
    /// Called after the session has lost its bus, and the observers were told.
    package var onDisconnected: (@LoopActor () -> Void)?

    /// The unique name of the daemon on the bus; nil while it is not there.
    package var daemon: String? { nameWatch?.owner }

    private var observers: [@LoopActor (CallSystemChange) -> Void] = []
    private var subscription: Subscription?
    private var nameWatch: NameWatch?
    /// Counts the daemons seen, to recognize answers of a daemon that has left.
    private var generation = 0

    /// - Parameter address: of the bus; nil is the session bus.
    package init(on address: String? = nil) {
        session = BusSession(address: address)
        session.onConnected = { [weak self] bus in self?.connected(to: bus) }
        session.onDisconnected = { [weak self] in self?.disconnected() }
    }

    package func start() { session.start() }

    package func stop() {
        forget()
        session.stop()
    }

    /// Adds an observer, for as long as the model lives.
    package func observe(_ observer: @escaping @LoopActor (CallSystemChange) -> Void) { observers.append(observer) }

    /// Calls a method of the daemon without starting it. `answered` gets the answer in its place among the signals; an
    /// error means that the object or the daemon has gone, which a signal reports, and is not passed on.
    package func ask<each Argument: DBusType>(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: repeat each Argument,
        answered: @escaping @LoopActor (Message) -> Void
    ) {
        let current = generation
        request(
            path, interface, member, repeat each arguments, timeout: Self.quickTimeout
        ) { [weak self] result in
            if case .success(let answer) = result, self?.generation == current { answered(answer) }
        }
    }

    /// Calls a method of the daemon without starting it, and reports the outcome.
    ///
    /// - Parameter timeout: by default longer than all the deadlines that one request can meet.
    package func request<each Argument: DBusType>(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: repeat each Argument,
        timeout: Duration = .seconds(60), answered: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            guard let bus = session.bus else { throw .disconnected }
            let message = try Message.call(
                to: Contract.busName, at: path, interface, member, repeat each arguments)
            message.autoStart = false
            bus.call(message, timeout: timeout, reply: answered)
        } catch {
            Loop.shared.post { answered(.failure(error)) }
        }
    }

    private func connected(to bus: Bus) {
        onConnected?(bus)
        subscription = bus.subscribe(MatchRule(sender: Contract.busName, pathNamespace: DaemonPath.system)) {
            [weak self] message in
            guard let self else { return }
            // A signal with other types does not come from the daemon, or comes from another version.
            if let change = try? change(in: message) { tell(change) }
            readIdentities()
        }
        nameWatch = bus.watchName(Contract.busName) { [weak self] _ in
            self?.appeared()
        } vanished: { [weak self] in
            self?.startOver()
            self?.tell(.vanished)
        }
    }

    private func disconnected() {
        forget()
        tell(.busLost)
        onDisconnected?()
    }

    private func tell(_ change: CallSystemChange) {
        for observer in observers { observer(change) }
    }

    private func forget() {
        subscription = nil
        nameWatch = nil
        startOver()
    }

    private func startOver() {
        generation += 1
        hasBegun = false
        state = CallSystemState()
    }

    private func appeared() {
        startOver()
        // Answers arrive in the order of the questions.
        var root: VariantDictionary = [:]
        ask(DaemonPath.system, StandardInterface.properties, "GetAll", Contract.callSystem) { answer in
            root = (try? answer.read(VariantDictionary.self)) ?? [:]
        }
        ask(DaemonPath.system, StandardInterface.objectManager, "GetManagedObjects") { [weak self] answer in
            guard let self, let objects = try? answer.read(ManagedObjects.self) else { return }
            let snapshot = Snapshot(objects)
            hasBegun = true
            state = CallSystemState(snapshot, root: root)
            tell(.appeared(snapshot))
            readIdentities()
        }
    }

    /// Reads the identity of new calls, which is never broadcast.
    private func readIdentities() {
        let current = generation
        for call in state.popUnidentified() {
            request(
                call, StandardInterface.properties, "GetAll", Contract.callIdentity,
                timeout: Self.quickTimeout
            ) { [weak self] result in
                guard let self, generation == current else { return }
                // To a client that may not know it, the far side withholds its identity.
                let identity = (try? result.get().read(VariantDictionary.self)) ?? ["Handle": Variant(Struct("", ""))]
                if let change = state.identified(call, identity) { tell(change) }
            }
        }
    }

    private func change(in message: Message) throws(DBusError) -> CallSystemChange? {
        switch (message.interface, message.member) {
        case (Contract.callSystem, "CallEnded"):
            let (call, reason, origin) = try message.read(ObjectPath.self, String.self, String.self)
            return .ended(call, reason: reason, origin: origin)
        case (Contract.callSystem, "CallFiltered"):
            let (provider, reason, source, row) = try message.read(
                ObjectPath.self, String.self, String.self, Int64.self)
            return .filtered(provider: provider, reason: reason, source: source, row: row)
        case (Contract.callSystem, "ResumeSuggested"):
            return .resumeSuggested(try message.read(ObjectPath.self))
        case (Contract.callSystem, "Anomaly"):
            let (kind, object, text) = try message.read(String.self, ObjectPath.self, String.self)
            return .anomaly(kind: kind, object: object, text: text)
        case (Contract.recents, "Changed"):
            return .recentsChanged(try message.read(Int64.self))
        case (Contract.directory, "Changed"):
            return .directoryChanged(try message.read(String.self))
        case _ where !hasBegun:
            return nil
        default:
            switch try Announcement(message) {
            case .added(let object, let interfaces): return state.added(object, interfaces)
            case .changed(let object, let interface, let values, let invalidated):
                return state.changed(object, interface, values, invalidated: invalidated)
            case .removed(let object, let interfaces): return state.removed(object, interfaces)
            case nil: return nil
            }
        }
    }
}
