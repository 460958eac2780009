// MonotonicTime and WallClock: the two clocks.

internal import Glibc

/// A moment on the clock that never jumps (`CLOCK_MONOTONIC`).
public struct MonotonicTime: Comparable, Hashable, Sendable {
    /// Nanoseconds since an arbitrary moment before this process started.
    public var nanoseconds: UInt64

    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    public static var now: MonotonicTime {
        let time = read(CLOCK_MONOTONIC)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// This moment moved by `duration`, which may be negative; clamped to the range of the clock.
    public func advanced(by duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (whole, isFar) = seconds.magnitude.multipliedReportingOverflow(by: 1_000_000_000)
        let (span, isFarther) = whole.addingReportingOverflow(attoseconds.magnitude / 1_000_000_000)
        let distance = isFar || isFarther ? UInt64.max : span
        if duration < .zero {
            return MonotonicTime(nanoseconds: nanoseconds < distance ? 0 : nanoseconds - distance)
        }
        let (sum, tooLate) = nanoseconds.addingReportingOverflow(distance)
        return MonotonicTime(nanoseconds: tooLate ? .max : sum)
    }

    /// The time from `earlier` to this moment; negative if `earlier` is later.
    public func duration(since earlier: MonotonicTime) -> Duration {
        nanoseconds >= earlier.nanoseconds
            ? .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
            : .zero - .nanoseconds(Int64(clamping: earlier.nanoseconds - nanoseconds))
    }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

/// The clock that people read and set (`CLOCK_REALTIME`).
public enum WallClock {
    /// The µs since the epoch.
    public static var microseconds: UInt64 {
        let time = read(CLOCK_REALTIME)
        return UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero; clamped to the range of `Int`.
    public var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, isFar) = seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isFarther) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isFar || isFarther ? (self < .zero ? .min : .max) : Int(sum)
    }
}

private func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
}
