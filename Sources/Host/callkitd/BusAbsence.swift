// BusAbsence: how long the daemon lives without a bus.

import CallHost
import EventLoop
import Logging

/// Waits while the daemon does not own its name. When it has waited long enough, and no call lives on, the daemon ends:
/// a bus that is gone for good has taken the session with it, and the next session's daemon needs the recents.
@LoopActor
final class BusAbsence {
    private let host: CallSystemHost
    private let timeout: Duration
    private let log: Logger
    private let onEnd: @LoopActor () -> Void
    private var timer: LoopTimer?

    /// - Parameter onEnd: called once the daemon is to end.
    init(of host: CallSystemHost, timeout: Duration, log: Logger, onEnd: @escaping @LoopActor () -> Void) {
        self.host = host
        self.timeout = timeout
        self.log = log
        self.onEnd = onEnd
    }

    func begin() {
        timer = LoopTimer(after: timeout) { [weak self] in self?.expire() }
    }

    func end() {
        timer = nil
        host.onStep = nil
    }

    private func expire() {
        // Clients' calls ended when the bus went away; plugins' calls live on.
        guard host.hasLiveCalls else { return onEnd() }
        log.notice("no bus for \(timeout.milliseconds) ms; waiting for the last call to end")
        host.onStep = { [weak self] _ in
            guard let self, !host.hasLiveCalls else { return }
            end()
            onEnd()
        }
    }
}
