// A moment that the shell passes in: the core reads no clock.

public import CallModel

/// A moment on the clock that never goes back. It is no date: the compiler tells the two clocks apart.
public struct Uptime: Comparable, Hashable, Sendable, ExpressibleByIntegerLiteral {
    public var microseconds: UInt64

    public init(microseconds: UInt64) { self.microseconds = microseconds }
    public init(integerLiteral value: UInt64) { microseconds = value }

    /// The moment so many µs before; the first one if there is none.
    public func earlier(by span: UInt64) -> Uptime { Uptime(microseconds: microseconds - min(span, microseconds)) }

    public static func < (left: Uptime, right: Uptime) -> Bool { left.microseconds < right.microseconds }

    /// The µs from one moment to a later one.
    public static func - (left: Uptime, right: Uptime) -> UInt64 { left.microseconds - right.microseconds }

    public static func + (left: Uptime, span: UInt64) -> Uptime { Uptime(microseconds: left.microseconds + span) }
    public static func += (left: inout Uptime, span: UInt64) { left.microseconds += span }
}

/// Both clocks at one moment: `uptime` orders and times things, `date` is what people read.
public struct Instant: Hashable, Sendable {
    public var uptime: Uptime
    public var date: WallTime

    public init(uptime: Uptime, date: WallTime) {
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
