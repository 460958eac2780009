// CallWatch: the calls of the machine, while this process has an observer.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

/// Follows the host's signals about calls: over a worker's link, where it asks for them, or over the session bus. Without
/// an observer it asks for nothing. Lives on the loop.
@LoopActor
final class CallWatch {
    static let shared = CallWatch()

    private struct Entry {
        weak var observer: CXCallObserver?
    }

    private var entries: [Entry] = []
    private var isWatching = false
    private var hasArrived = false
    /// Oldest first.
    private var sights: [CallSight] = []
    private var link: Link?
    private var host: (owner: String, bus: Bus)?
    private var subscriptions: [Subscription] = []

    private init() {}

    // MARK: observers

    func add(_ observer: CXCallObserver) {
        entries.append(Entry(observer: observer))
        observer.take(current)
        for sight in sights { observer.tell(CXCall(sight)) }
        if hasArrived { settle() }
        guard !isWatching else { return }
        isWatching = true
        HostConnection.shared.openIfNeeded()
        begin()
    }

    /// Removes released observers, and stops following after the last one.
    func prune() {
        entries.removeAll { $0.observer == nil }
        guard entries.isEmpty, isWatching else { return }
        isWatching = false
        hasArrived = false
        sights = []
        subscriptions = []
        if let link {
            link.onSignal = nil
            observe(false) { _ in }
        }
    }

    /// Returns to the state before the first observer.
    func forgetAll() {
        entries = []
        (isWatching, hasArrived) = (false, false)
        sights = []
        (link, host) = (nil, nil)
        subscriptions = []
    }

    private var current: [CXCall] { sights.map(CXCall.init) }

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
        for sight in sights { gone(sight.id) }
        if isWatching { settle() }
    }

    private func begin() {
        guard isWatching else { return }
        if let link {
            link.onSignal = { [weak self] message in self?.take(message) }
            observe(true) { [weak self] result in
                if case .failure(let error) = result { Diagnostics.note("calls cannot be observed: \(error.message)") }
                if let self, isWatching { settle() }
            }
        } else if let host {
            begin(host.owner, on: host.bus)
        }
    }

    private func observe(_ observing: Bool, reply: @escaping ProviderEndpoint.Answer) {
        HostConnection.shared.call(
            at: HostConnection.shared.root, Contract.workerHost, ProviderMember.System.observe, observing, reply: reply)
    }

    private func begin(_ owner: String, on bus: Bus) {
        let rules = [
            MatchRule(sender: owner, path: HostConnection.shared.root, interface: StandardInterface.objectManager),
            MatchRule(
                sender: owner, pathNamespace: ObjectPath.calls, interface: StandardInterface.properties,
                member: "PropertiesChanged",
                arg0: Contract.call),
        ]
        subscriptions = rules.map { rule in bus.subscribe(rule) { [weak self] message in self?.take(message) } }
        HostConnection.shared.call(
            at: HostConnection.shared.root, StandardInterface.objectManager, "GetManagedObjects"
        ) { [weak self] result in
            guard let self, isWatching, self.host?.owner == owner else { return }
            switch result {
            case .success(let message): for sighting in Sighting.all(in: message) { take(sighting) }
            case .failure(let error): Diagnostics.note("calls cannot be observed: \(error.message)")
            }
            settle()
        }
    }

    /// Calls `body` when the observers of this process have seen all changes so far; at once if there is no observer.
    func catchUp(_ body: @escaping @LoopActor () -> Void) {
        guard isWatching else { return body() }
        // The host answers these after all signals that are due.
        if link != nil {
            observe(true) { _ in body() }
        } else if host != nil {
            HostConnection.shared.call(at: HostConnection.shared.root, StandardInterface.peer, "Ping") { _ in body() }
        } else {
            body()
        }
    }

    // MARK: signals and answers

    private func take(_ message: Message) {
        if let sighting = Sighting(message) { take(sighting) }
    }

    private func take(_ sighting: Sighting) {
        switch sighting {
        case .new(let id, let properties):
            var sight = CallSight(id)
            sight.take(properties)
            // The call began and ended between two signals. Before the first answer it is a call that ended earlier.
            if sight.hasEnded, hasArrived, !sights.contains(where: { $0.id == id }) { return announce(sight) }
            take(.seen(id, properties))
        case .seen(let id, let properties):
            let index = sights.firstIndex { $0.id == id }
            // A change of a call that has ended or was never shown is not reported.
            guard index != nil || properties["State"] != nil && properties["Direction"] != nil else { return }
            var sight = index.map { sights[$0] } ?? CallSight(id)
            let before = index.map { _ in sight }
            sight.take(properties)
            guard sight != before, index != nil || !sight.hasEnded else { return }
            if sight.hasEnded { return gone(id, as: sight) }
            if let index { sights[index] = sight } else { sights.append(sight) }
            announce(sight)
        case .gone(let id): gone(id)
        }
    }

    /// - Parameter last: the last state; nil if the end was not seen.
    private func gone(_ id: CallID, as last: CallSight? = nil) {
        guard let index = sights.firstIndex(where: { $0.id == id }) else { return }
        var sight = last ?? sights[index]
        if last == nil { sight.end() }
        sights.remove(at: index)
        announce(sight)
    }

    private func announce(_ sight: CallSight) {
        let (call, calls) = (CXCall(sight), current)
        for entry in entries {
            entry.observer?.take(calls)
            entry.observer?.tell(call)
        }
    }
}
