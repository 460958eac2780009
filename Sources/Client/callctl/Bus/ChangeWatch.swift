// ChangeWatch: when to look again at the daemon's objects.

import CallClient
import CallModel
import DBus
import EventLoop

/// Wakes a command that waits for something to change: at a signal of the daemon, when the daemon comes or goes, and when
/// the bus goes. Whoever looks at the objects after creating one misses no change.
@LoopActor
final class ChangeWatch {
    private var subscription: Subscription?
    private var presence: NameWatch?
    private var isChanged = false
    private var isInterrupted = false
    private var waiter: CheckedContinuation<Void, Never>?
    private var timer: LoopTimer?

    init(on bus: Bus) {
        subscription = bus.subscribe(MatchRule(sender: Contract.busName, pathNamespace: DaemonPath.system)) {
            [weak self] _ in self?.wake()
        }
        presence = bus.watchName(Contract.busName) { [weak self] _ in
            self?.wake()
        } vanished: { [weak self] in
            self?.wake()
        }
        bus.onDisconnected = { [weak self] in self?.wake() }
    }

    /// Returns when something has changed since the last return, and after `limit` at the latest.
    ///
    /// - Throws: once `interrupt()` was called.
    func change(within limit: Duration? = nil) async throws(Failure) {
        if !isChanged {
            timer = limit.map { LoopTimer(after: $0) { [weak self] in self?.wake() } }
            await withCheckedContinuation { waiter = $0 }
            timer = nil
        }
        isChanged = false
        if isInterrupted { throw Failure(.refused, "interrupted") }
    }

    /// The user does not wait any longer.
    func interrupt() {
        isInterrupted = true
        wake()
    }

    private func wake() {
        isChanged = true
        waiter?.resume()
        waiter = nil
    }
}
