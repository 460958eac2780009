// What others make the log and the signal Anomaly say, bounded for each of them.

import CallCore
import CallWire
import DBus
import EventLoop
import Logging

/// Who has brought about 20 lines is not heard again until ten seconds after the first; then one line tells how many were
/// dropped.
@LoopActor
final class NoticeBook {
    /// Of one owner in one period.
    static let share = 20
    static let period = Duration.seconds(10)
    /// Beyond so many, periods that are over are forgotten.
    private static let many = 64

    private struct Period {
        let end: Instant
        var count = 0
        var dropped = 0
        /// Tells how many were dropped.
        var timer: (any HostTimer)?
    }

    private let log: Logger
    private let clock: any HostClock
    private var periods: [Owner?: Period] = [:]

    /// Called with a sentence that tells how many were dropped.
    var onDropped: @LoopActor (String) -> Void = { _ in }

    init(log: Logger, clock: any HostClock) {
        self.log = log
        self.clock = clock
    }

    /// Logs a line that somebody outside has brought about.
    ///
    /// - Parameter owner: who did; nil for anybody.
    func log(_ level: Logger.Level, _ text: @autoclosure () -> String, by owner: Owner?) {
        if log.logLevel <= level, count(owner) { log.log(level: level, "\(text())") }
    }

    /// Counts a line. Returns false if it is to be dropped.
    func count(_ owner: Owner?) -> Bool {
        let now = clock.now
        if periods.count >= Self.many {
            periods = periods.filter { $0.value.end.uptime > now.uptime || $0.value.timer != nil }
        }
        var period = periods[owner] ?? Period(end: now.advanced(by: Self.period))
        if period.end.uptime <= now.uptime, period.timer == nil {
            period = Period(end: now.advanced(by: Self.period))
        }
        defer { periods[owner] = period }
        guard period.count >= Self.share else {
            period.count += 1
            return true
        }
        period.dropped += 1
        if period.timer == nil {
            period.timer = clock.timer(at: period.end) { [weak self] in self?.end(owner) }
        }
        return false
    }

    private func end(_ owner: Owner?) {
        guard let period = periods.removeValue(forKey: owner) else { return }
        let who = owner.map(\.description) ?? "the rest"
        onDropped(
            "\(period.dropped) more notes about \(who) were dropped in \(Self.period.milliseconds / 1_000) s")
    }
}
