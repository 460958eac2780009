// When Do Not Disturb is on: by hand, or by the clock.

import CallModel
import EventLoop

/// All that the user has set. Dates are µs since the epoch.
struct DoNotDisturbSettings: Hashable, Sendable {
    static let maximumSchedule = 16

    var isOnByHand = false
    var schedule: [QuietHours] = []
    /// The schedule counts for nothing before this date: somebody turned it off by hand.
    var pausedUntil: UInt64 = 0
    var rules = DoNotDisturbRules()

    func isOn(at date: UInt64) -> Bool { isOnByHand || date >= pausedUntil && isScheduled(at: date) }

    /// Turns it on until it is turned off, or off until the schedule turns it on the next time.
    mutating func turn(on isOn: Bool, at date: UInt64) {
        isOnByHand = isOn
        pausedUntil = isOn ? 0 : endOfSchedule(at: date)
    }

    /// When `isOn` may become another; nil = never by itself.
    func nextChange(after date: UInt64) -> UInt64? {
        guard !isOnByHand else { return nil }
        return nextBoundary(after: date)
    }

    private func isScheduled(at date: UInt64) -> Bool {
        schedule.contains { $0.spans(from: date).contains { $0.start <= date } }
    }

    private func nextBoundary(after date: UInt64) -> UInt64? {
        schedule.flatMap { $0.spans(from: date) }.flatMap { [$0.start, $0.end] }.filter { $0 > date }.min()
    }

    /// The end of the hours that are in force, which may follow each other; at most eight days ahead.
    private func endOfSchedule(at date: UInt64) -> UInt64 {
        let spans = schedule.flatMap { $0.spans(from: date) }
        var end = date
        while let longer = spans.first(where: { $0.start <= end && $0.end > end }) { end = longer.end }
        return end == date ? 0 : end
    }
}
