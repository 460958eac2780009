// Requests that come before the plugins that could take them.

import CallCore
import CallModel
import EventLoop

/// The request that started the daemon by D-Bus activation arrives before any plugin has registered a provider.
/// What nobody takes at that moment waits until somebody does, or until no plugin is awaited any more.
@LoopActor
final class EarlyRequests {
    /// How long after its start, in µs, the daemon waits for the providers of its plugins.
    private static let patience: UInt64 = 1_000_000
    private static let capacity = 256
    /// Of one program or plugin.
    private static let share = 16

    private unowned let host: CallSystemHost
    private var end: Instant?
    private var waiting: [(request: Request, answer: @LoopActor (Reply) -> Void)] = []
    private var timer: (any HostTimer)?

    init(host: CallSystemHost) { self.host = host }

    /// The plugins have been started.
    func begin() {
        let now = host.clock.now
        end = Instant(uptime: now.uptime + Self.patience, date: now.date + Self.patience)
    }

    /// Keeps a request that nobody takes yet.
    /// - Returns: false if it is to be submitted now.
    func keep(_ request: Request, answer: @escaping @LoopActor (Reply) -> Void) -> Bool {
        guard waiting.count < Self.capacity, isTooEarly(for: request), let end else { return false }
        let owner = host.machine.owner(of: request)
        let own = waiting.count { host.machine.owner(of: $0.request) == owner }
        guard own < Self.share else {
            let text = "\(owner) \(owner.has) \(own) requests that wait, expected at most \(Self.share)"
            answer(.failed(CallError(.limitsExceeded, text)))
            return true
        }
        waiting.append((request, answer))
        if timer == nil { timer = host.clock.timer(at: end) { [weak self] in self?.admit() } }
        return true
    }

    /// The end of the daemon's start; nil if it is over or has not begun.
    var currentEnd: Instant? {
        guard let end else { return nil }
        if host.clock.now.uptime < end.uptime { return end }
        self.end = nil
        return nil
    }

    /// Submits what is kept and can be taken, or is in vain: a provider is there, a plugin has failed, time is over.
    func admit() {
        host.earlyQuestions.admit()
        guard !waiting.isEmpty else { return }
        let kept = waiting
        waiting = []
        for entry in kept {
            if isTooEarly(for: entry.request) {
                waiting.append(entry)
            } else {
                host.submit(entry.request, then: entry.answer)
            }
        }
        if waiting.isEmpty { timer = nil }
    }

    private func isTooEarly(for request: Request) -> Bool {
        guard currentEnd != nil, host.plugins.areAwaited else { return false }
        guard case .failure(let error) = host.machine.plan(request, at: host.clock.now) else { return false }
        return error.code == .unknownProvider || request.actions.contains { isUndeclared($0) }
    }

    /// Whether the action calls a URI whose scheme no provider declares yet.
    private func isUndeclared(_ action: CallAction) -> Bool {
        guard case .start(_, let start) = action else { return false }
        return !host.machine.isDeclared(start)
    }
}
