// Gate: lets those who wait go on once something has happened.

/// Closed or open. Whoever passes a closed one waits until it is opened.
@LoopActor
public final class Gate {
    public private(set) var isOpen: Bool
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public init(isOpen: Bool = false) { self.isOpen = isOpen }

    public func open() {
        isOpen = true
        let all = waiting
        waiting = []
        for each in all { each.resume() }
    }

    public func close() { isOpen = false }

    /// Returns once the gate is open, which may be at once.
    public func pass() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Returns once `body` has ended, or `limit` later; `body` goes on then.
    public static func wait(atMost limit: Duration, for body: @escaping @LoopActor () async -> Void) async {
        let gate = Gate()
        let timer = LoopTimer(after: limit) { gate.open() }
        Task { @LoopActor in
            await body()
            gate.open()
        }
        await gate.pass()
        timer.cancel()
    }
}
