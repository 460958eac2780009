// RepeatedBanner: lets a notification be seen where another banner, or an open tray, may have hidden it.

import EventLoop

/// Has notifications posted anew, three times, for a server that shows one banner at a time and does not say what is seen.
@LoopActor
final class RepeatedBanner {
    private let wait: Duration
    private let post: @LoopActor ([String]) -> Void
    private var keys: [String] = []
    private var timer: LoopTimer?
    private var rounds = 0

    private static let maximumRounds = 3

    /// - Parameters:
    ///   - wait: until the first time; each wait is longer by as much.
    ///   - post: posts the notifications with these keys anew, in this order.
    init(wait: Duration, post: @escaping @LoopActor ([String]) -> Void) {
        self.wait = wait
        self.post = post
    }

    /// Takes the keys of what must be seen, oldest first. Other ones begin anew.
    func update(_ keys: [String]) {
        guard keys != self.keys else { return }
        self.keys = keys
        restart()
    }

    /// Begins anew, for somebody who looks at the screen now.
    func restart() {
        rounds = 0
        timer = nil
        if !keys.isEmpty { schedule() }
    }

    /// The user has done something with them, and so has seen them.
    func stop() { timer = nil }

    private func schedule() {
        timer = LoopTimer(after: wait * (rounds + 1)) { [weak self] in self?.fire() }
    }

    private func fire() {
        timer = nil
        rounds += 1
        post(keys)
        if rounds < Self.maximumRounds { schedule() }
    }
}
