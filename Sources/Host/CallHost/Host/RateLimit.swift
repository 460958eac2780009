// How often something may happen.

import CallCore

/// Lets `burst` things happen at once, and after that one per `interval`.
struct RateLimit {
    let burst: UInt64
    /// In µs.
    let interval: UInt64
    /// When, in µs of uptime, nothing of what has happened counts any more.
    private var calm: UInt64 = 0

    init(burst: UInt64, every interval: UInt64) {
        self.burst = burst
        self.interval = interval
    }

    /// How long, in µs, until the next thing may happen; 0 = it may happen now.
    func wait(at now: Instant) -> UInt64 {
        let ahead = max(calm, now.uptime) - now.uptime
        let most = (burst - 1) * interval
        return ahead > most ? ahead - most : 0
    }

    /// Counts a thing that happens now. Returns false if it may not.
    mutating func take(at now: Instant) -> Bool {
        guard wait(at: now) == 0 else { return false }
        calm = max(calm, now.uptime) + interval
        return true
    }
}
