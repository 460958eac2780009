// Inbox: values that a test awaits.

public import EventLoop

/// Nothing arrived in time.
public struct NothingArrived: Error, CustomStringConvertible {
    public let description: String
}

/// Collects values from handlers on the loop and passes them to a test that awaits them, in order.
@LoopActor
public final class Inbox<Element: Sendable> {
    private var elements: [Element] = []
    private var waiters: [(id: Int, continuation: CheckedContinuation<Element?, Never>)] = []
    private var lastWaiter = 0

    public init() {}

    /// The values that arrived and have not been taken yet.
    public var pending: [Element] { elements }

    public func put(_ element: Element) {
        if waiters.isEmpty {
            elements.append(element)
        } else {
            waiters.removeFirst().continuation.resume(returning: element)
        }
    }

    /// The next value; throws if none arrives in time.
    public func next(within limit: Duration = .seconds(600)) async throws -> Element {
        if !elements.isEmpty { return elements.removeFirst() }
        lastWaiter += 1
        let id = lastWaiter
        let timer = LoopTimer(after: limit) { [weak self] in
            guard let self, let index = waiters.firstIndex(where: { $0.id == id }) else { return }
            waiters.remove(at: index).continuation.resume(returning: nil)
        }
        let element = await withCheckedContinuation { waiters.append((id, $0)) }
        timer.cancel()
        guard let element else {
            throw NothingArrived(description: "no \(Element.self) within \(limit.milliseconds) ms")
        }
        return element
    }

    /// Takes values until one passes the test.
    public func next(
        within limit: Duration = .seconds(600), where matches: @LoopActor (Element) -> Bool
    ) async throws -> Element {
        let deadline = MonotonicTime.now.advanced(by: limit)
        while true {
            let element = try await next(within: max(.zero, deadline.duration(since: .now)))
            if matches(element) { return element }
        }
    }
}

/// Waits until all work that is queued on the loop now has run, and what it queued as well.
@LoopActor
public func loopTurn() async {
    for _ in 0..<2 {
        await withCheckedContinuation { continuation in
            Loop.shared.post { continuation.resume() }
        }
    }
}
