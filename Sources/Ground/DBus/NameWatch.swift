// NameWatch: reports when a name on the bus gets an owner, and when it loses it.

public import EventLoop

/// Watches one name until it is cancelled or dropped.
@LoopActor
public final class NameWatch {
    /// The owner of the name; nil if it has none, or while that is not known yet.
    public private(set) var owner: String?

    private var isKnown = false
    private var subscription: Subscription?
    private let appeared: @LoopActor (String) -> Void
    private let vanished: @LoopActor () -> Void

    init(appeared: @escaping @LoopActor (String) -> Void, vanished: @escaping @LoopActor () -> Void) {
        self.appeared = appeared
        self.vanished = vanished
    }

    public func cancel() {
        subscription?.cancel()
        subscription = nil
    }

    func start(_ name: String, on bus: Bus) {
        let rule = MatchRule(
            sender: BusDriver.name, path: BusDriver.path, interface: BusDriver.interface, member: "NameOwnerChanged",
            arg0: name)
        subscription = bus.subscribe(rule) { [weak self] message in
            guard let (_, _, owner) = try? message.read(String.self, String.self, String.self) else { return }
            self?.report(owner.isEmpty ? nil : owner)
        }
        bus.sendToDriver("GetNameOwner", name) { [weak self] result in
            self?.report(try? result.get().read(String.self))
        }
    }

    private func report(_ now: String?) {
        guard subscription != nil, !isKnown || now != owner else { return }
        let before = owner
        isKnown = true
        owner = now
        if now == nil || before != nil { vanished() }
        if let now, subscription != nil { appeared(now) }
    }
}

extension Bus {
    /// Watches a name, well-known or unique. The present state is reported first, soon after this returns.
    ///
    /// A name that passes from one owner to another vanishes and appears.
    public func watchName(
        _ name: String, appeared: @escaping @LoopActor (String) -> Void, vanished: @escaping @LoopActor () -> Void
    ) -> NameWatch {
        let watch = NameWatch(appeared: appeared, vanished: vanished)
        watch.start(name, on: self)
        return watch
    }
}
