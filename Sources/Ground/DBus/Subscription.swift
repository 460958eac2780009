// Subscription: a handler for the signals that match a rule.

public import EventLoop

/// Calls its handler for matching signals until it is cancelled or dropped.
@LoopActor
public final class Subscription {
    let rule: MatchRule
    /// The unique name behind the rule's sender, kept up to date. Nil if the rule has no sender.
    var owner: String?
    var ownerWatch: NameWatch?
    private(set) var handler: (@LoopActor (Message) -> Void)?
    private weak var bus: Bus?
    private var outcome: Result<Void, DBusError>?
    private var waiters: [CheckedContinuation<Result<Void, DBusError>, Never>] = []

    init(_ rule: MatchRule, _ bus: Bus, _ handler: @escaping @LoopActor (Message) -> Void) {
        self.rule = rule
        self.bus = bus
        self.handler = handler
    }

    isolated deinit {
        cancel()
    }

    public func cancel() {
        guard handler != nil else { return }
        handler = nil
        ownerWatch = nil
        settle(.failure(.disconnected))
        guard let bus else { return }
        bus.subscriptions.remove(self)
        bus.sendToDriver("RemoveMatch", rule.text)
    }

    /// Returns when the bus knows the rule: every later signal will be seen. Throws if the bus refuses it.
    public func ready() async throws(DBusError) {
        if let outcome { return try outcome.get() }
        try await withCheckedContinuation { waiters.append($0) }.get()
    }

    func settle(_ result: Result<Void, DBusError>) {
        guard outcome == nil else { return }
        outcome = result
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.resume(returning: result) }
    }

    func deliver(_ message: Message) { handler?(message) }

    func accepts(_ message: Message) -> Bool {
        guard handler != nil, rule.matches(message) else { return false }
        return rule.sender == nil || owner != nil && message.sender == owner
    }
}

/// The subscriptions of one bus.
@LoopActor
final class Subscriptions {
    private struct Entry {
        weak var subscription: Subscription?
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var order: [ObjectIdentifier] = []

    func add(_ subscription: Subscription) {
        entries[ObjectIdentifier(subscription)] = Entry(subscription: subscription)
        order.append(ObjectIdentifier(subscription))
    }

    /// The owner of a well-known name, if a subscription to its signals knows it.
    func owner(of name: String) -> String? {
        for entry in entries.values {
            if let subscription = entry.subscription, subscription.rule.sender == name, let owner = subscription.owner {
                return owner
            }
        }
        return nil
    }

    func remove(_ subscription: Subscription) {
        entries[ObjectIdentifier(subscription)] = nil
        if let index = order.firstIndex(of: ObjectIdentifier(subscription)) { order.remove(at: index) }
    }

    func removeAll() {
        let all = order.compactMap { entries[$0]?.subscription }
        entries = [:]
        order = []
        for subscription in all { subscription.settle(.failure(.disconnected)) }
    }

    func deliver(_ message: Message) {
        for key in order {
            guard let subscription = entries[key]?.subscription, subscription.accepts(message) else { continue }
            subscription.deliver(message)
        }
    }
}

extension Bus {
    /// Subscribes to signals. The handler is called for each signal that matches the rule, from now on.
    public func subscribe(
        _ rule: MatchRule, handler: @escaping @LoopActor (Message) -> Void
    ) -> Subscription {
        let subscription = Subscription(rule, self, handler)
        guard isOpen else {
            subscription.settle(.failure(.disconnected))
            return subscription
        }
        subscriptions.add(subscription)
        if let sender = rule.sender {
            if sender == BusDriver.name || BusName.isUnique(sender) {
                subscription.owner = sender
            } else {
                subscription.ownerWatch = watchName(
                    sender, appeared: { [weak subscription] in subscription?.owner = $0 },
                    vanished: { [weak subscription] in subscription?.owner = nil })
            }
        }
        sendToDriver("AddMatch", rule.text) { [weak subscription] result in
            subscription?.settle(result.map { _ in })
        }
        return subscription
    }

    /// Calls a method of the bus itself with one text.
    func sendToDriver(
        _ member: String, _ argument: String, reply: (@LoopActor (Result<Message, DBusError>) -> Void)? = nil
    ) {
        do {
            let message = try Message.call(
                to: BusDriver.name, at: BusDriver.path, BusDriver.interface, member, argument)
            guard let reply else {
                message.expectsReply = false
                send(message)
                return
            }
            call(message, timeout: .seconds(25), reply: reply)
        } catch {
            if let reply { PendingReplies.failLater(reply, error) }
        }
    }
}
