// How often something may happen.

/// Lets `burst` things happen at once, and after that one per `interval`.
package struct RateLimit: Sendable {
    package let burst: UInt64
    /// In µs.
    package let interval: UInt64
    /// When nothing of what has happened counts any more.
    private var calm: Uptime = 0

    package init(burst: UInt64, every interval: UInt64) {
        self.burst = burst
        self.interval = interval
    }

    /// How long, in µs, until the next thing may happen; 0 = it may happen now.
    package func wait(at now: Instant) -> UInt64 {
        let ahead = max(calm, now.uptime) - now.uptime
        let most = (burst - 1) * interval
        return ahead > most ? ahead - most : 0
    }

    /// Counts a thing that happens now. Returns false if it may not.
    package mutating func take(at now: Instant) -> Bool {
        guard wait(at: now) == 0 else { return false }
        calm = max(calm, now.uptime) + interval
        return true
    }

    /// Whether nothing of what has happened counts any more.
    package func isCalm(at now: Instant) -> Bool { calm <= now.uptime }
}

/// A limit for each owner. Those of whose things nothing counts any more are forgotten.
package struct RateLimits: Sendable {
    /// So many are kept without looking.
    private static let many = 64
    private var limits: [Owner: RateLimit] = [:]

    package init() {}

    /// Whether another thing of the owner may happen now.
    ///
    /// - Parameter new: the limit of an owner of whom nothing counts.
    package func allows(_ owner: Owner, _ new: RateLimit, at now: Instant) -> Bool {
        (limits[owner] ?? new).wait(at: now) == 0
    }

    /// Counts a thing of the owner that happens now. Returns false if it may not.
    package mutating func take(_ owner: Owner, _ new: RateLimit, at now: Instant) -> Bool {
        if limits.count >= Self.many { limits = limits.filter { !$0.value.isCalm(at: now) } }
        var limit = limits[owner] ?? new
        guard limit.take(at: now) else { return false }
        limits[owner] = limit
        return true
    }

    /// Whether nothing of the owner counts any more.
    package func isCalm(_ owner: Owner, at now: Instant) -> Bool { limits[owner]?.isCalm(at: now) ?? true }

    /// The owners of whom more has happened than may.
    package func exceeded(at now: Instant) -> [Owner] {
        limits.filter { $0.value.wait(at: now) > $0.value.interval }.map(\.key)
    }
}
