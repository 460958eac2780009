// A moment as the core knows it: handed in by the shell, never looked up.

/// Both clocks at one moment: `uptime` orders and times things, `date` is what people read.
public struct Instant: Hashable, Sendable {
    /// Microseconds on a clock that never goes back.
    public var uptime: UInt64
    /// Microseconds since the epoch.
    public var date: UInt64

    public init(uptime: UInt64, date: UInt64) {
        self.uptime = uptime
        self.date = date
    }

    public func advanced(by duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        let step = UInt64(max(0, seconds)) * 1_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000_000
        return Instant(uptime: uptime + step, date: date + step)
    }

    public func advanced(byMilliseconds milliseconds: UInt32) -> Instant {
        let step = UInt64(milliseconds) * 1_000
        return Instant(uptime: uptime + step, date: date + step)
    }
}
