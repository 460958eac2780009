// LoopLag: for how long the loop did not look at what arrives.

/// The longest turns of the loop in this minute and the one before.
struct LoopLag {
    private static let minute: UInt64 = 60_000_000_000
    private var wokeAt: UInt64 = 0
    private var minute: UInt64 = 0
    private var longest: UInt64 = 0
    private var longestBefore: UInt64 = 0

    mutating func wakes(at now: MonotonicTime) { wokeAt = now.nanoseconds }

    mutating func waits(at now: MonotonicTime) {
        begin(now.nanoseconds / Self.minute)
        if wokeAt > 0 { longest = max(longest, now.nanoseconds - wokeAt) }
        wokeAt = 0
    }

    /// The longest turn in the last one to two minutes.
    mutating func lag(at now: MonotonicTime) -> Duration {
        begin(now.nanoseconds / Self.minute)
        return .nanoseconds(max(longest, longestBefore))
    }

    private mutating func begin(_ minute: UInt64) {
        guard minute > self.minute else { return }
        longestBefore = minute == self.minute + 1 ? longest : 0
        longest = 0
        self.minute = minute
    }
}
