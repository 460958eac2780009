// CallWatch: the calls of the machine, while this process has an observer.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

/// Follows the host's signals about calls: over a worker's link, where it asks for them, or over the session bus. Without
/// an observer it asks for nothing. Lives on the loop.
@LoopActor
final class CallWatch {
    private struct Entry {
        weak var observer: CXCallObserver?
    }

    private unowned let connection: HostConnection
    private var entries: [Entry] = []
    private var isWatching = false
    private var hasArrived = false
    /// Oldest first.
    private var calls: [PublishedCall] = []
    private var link: Link?
    private var host: (owner: String, bus: Bus)?
    private var subscriptions: [Subscription] = []

    init(on connection: HostConnection) { self.connection = connection }

    // MARK: observers

    func add(_ observer: CXCallObserver) {
        entries.append(Entry(observer: observer))
        observer.show(current)
        for call in calls { observer.tell(CXCall(call)) }
        if hasArrived { settle() }
        guard !isWatching else { return }
        isWatching = true
        connection.openIfNeeded()
        begin()
    }

    /// Removes released observers, and stops following after the last one.
    func prune() {
        entries.removeAll { $0.observer == nil }
        guard entries.isEmpty, isWatching else { return }
        isWatching = false
        hasArrived = false
        calls = []
        subscriptions = []
        if let link {
            link.onSignal = nil
            observe(false) { _ in }
        }
    }

    private var current: [CXCall] { calls.map(CXCall.init) }

    /// Releases the observers' first use of `calls`, since all calls have been reported.
    private func settle() {
        hasArrived = true
        for entry in entries { entry.observer?.arrived() }
    }

    // MARK: the connection to the host

    func attached(_ channel: any MessageChannel) {
        link = channel as? Link
        if link != nil { begin() }
    }

    /// Follows a host on a bus.
    func hostAppeared(_ owner: String, on bus: Bus) {
        host = (owner, bus)
        begin()
    }

    /// Ends all calls, since there is no host.
    func hostLost() {
        host = nil
        subscriptions = []
        for call in calls { removed(call.id) }
        if isWatching { settle() }
    }

    private func begin() {
        guard isWatching else { return }
        if let link {
            link.onSignal = { [weak self] message in self?.receive(message) }
            observe(true) { [weak self] result in
                if case .failure(let error) = result { Diagnostics.note("calls cannot be observed: \(error.message)") }
                if let self, isWatching { settle() }
            }
        } else if let host {
            begin(host.owner, on: host.bus)
        }
    }

    private func observe(_ observing: Bool, reply: @escaping ProviderEndpoint.Answer) {
        connection.call(
            at: connection.root, Contract.workerHost, ProviderMember.System.observe, observing, reply: reply)
    }

    private func begin(_ owner: String, on bus: Bus) {
        let rules = [
            MatchRule(sender: owner, path: connection.root, interface: StandardInterface.objectManager),
            MatchRule(
                sender: owner, pathNamespace: ObjectPath.calls, interface: StandardInterface.properties,
                member: "PropertiesChanged",
                arg0: Contract.call),
        ]
        subscriptions = rules.map { rule in bus.subscribe(rule) { [weak self] message in self?.receive(message) } }
        connection.call(
            at: connection.root, StandardInterface.objectManager, "GetManagedObjects"
        ) { [weak self] result in
            guard let self, isWatching, self.host?.owner == owner else { return }
            switch result {
            case .success(let message):
                let objects = (try? message.read([ObjectPath: [String: VariantDictionary]].self)) ?? [:]
                for call in Self.calls(in: objects) { changed(call.id, call.properties) }
            case .failure(let error): Diagnostics.note("calls cannot be observed: \(error.message)")
            }
            settle()
        }
    }

    /// Calls `body` when the observers of this process have seen all changes so far; at once if there is no observer.
    func catchUp(_ body: @escaping @LoopActor () -> Void) {
        guard isWatching else { return body() }
        guard link != nil || host != nil else { return body() }
        // The host answers after all signals that are due.
        connection.call(at: connection.root, StandardInterface.peer, "Ping") { _ in body() }
    }

    // MARK: signals and answers

    private func receive(_ signal: Message) {
        // A signal with other types does not come from the host, or comes from another version.
        switch try? Announcement(signal) {
        case .added(let path, let interfaces):
            guard let id = Contract.call(at: path.text), let properties = interfaces[Contract.call] else { return }
            added(id, properties)
        case .changed(let path, Contract.call, let properties, _):
            if let id = Contract.call(at: path.text) { changed(id, properties) }
        case .removed(let path, let interfaces) where interfaces.contains(Contract.call):
            if let id = Contract.call(at: path.text) { removed(id) }
        case .changed, .removed, nil: break
        }
    }

    private func added(_ id: CallID, _ properties: VariantDictionary) {
        var call = PublishedCall(id)
        call.update(properties)
        // The call began and ended between two signals. Before the first answer it is a call that ended earlier.
        if call.hasEnded, hasArrived, !calls.contains(where: { $0.id == id }) { return announce(call) }
        changed(id, properties)
    }

    private func changed(_ id: CallID, _ properties: VariantDictionary) {
        let index = calls.firstIndex { $0.id == id }
        // A change of a call that has ended or was never shown is not reported.
        guard index != nil || properties[CallProperty.state] != nil && properties[CallProperty.direction] != nil else {
            return
        }
        var call = index.map { calls[$0] } ?? PublishedCall(id)
        let before = index.map { _ in CXCall(call) }
        call.update(properties)
        if call.hasEnded { return removed(id, as: call) }
        if let index { calls[index] = call } else { calls.append(call) }
        if CXCall(call) != before { announce(call) }
    }

    /// - Parameter last: the last state; nil if the end was not seen.
    private func removed(_ id: CallID, as last: PublishedCall? = nil) {
        guard let index = calls.firstIndex(where: { $0.id == id }) else { return }
        var call = last ?? calls[index]
        if last == nil { (call.state, call.heldBy) = (.ended, nil) }
        calls.remove(at: index)
        announce(call)
    }

    private func announce(_ call: PublishedCall) {
        let (change, calls) = (CXCall(call), current)
        for entry in entries {
            entry.observer?.show(calls)
            entry.observer?.tell(change)
        }
    }

    /// Returns the calls among the host's objects, oldest first. The identity of callers is left unread.
    private static func calls(
        in objects: [ObjectPath: [String: VariantDictionary]]
    ) -> [(id: CallID, properties: VariantDictionary)] {
        let calls = objects.compactMap { path, interfaces -> (id: CallID, properties: VariantDictionary)? in
            guard let id = Contract.call(at: path.text), let properties = interfaces[Contract.call] else { return nil }
            return (id, properties)
        }
        func start(_ properties: VariantDictionary) -> WallTime { properties[CallProperty.startedAt, default: 0] }
        return calls.sorted { start($0.properties) < start($1.properties) }
    }
}
