// MonotonicTime and WallTime: the two clocks.

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

    /// This moment moved by `milliseconds`, which may be negative; clamped to the range of the clock.
    public func advanced(byMilliseconds milliseconds: Int) -> MonotonicTime {
        let (span, overflow) = milliseconds.magnitude.multipliedReportingOverflow(by: 1_000_000)
        let distance = overflow ? UInt64.max : UInt64(span)
        if milliseconds < 0 {
            return MonotonicTime(nanoseconds: nanoseconds < distance ? 0 : nanoseconds - distance)
        }
        let (sum, tooLate) = nanoseconds.addingReportingOverflow(distance)
        return MonotonicTime(nanoseconds: tooLate ? .max : sum)
    }

    /// Whole milliseconds from `earlier` to this moment; negative if `earlier` is later.
    public func milliseconds(since earlier: MonotonicTime) -> Int {
        nanoseconds >= earlier.nanoseconds
            ? Int((nanoseconds - earlier.nanoseconds) / 1_000_000)
            : -Int((earlier.nanoseconds - nanoseconds) / 1_000_000)
    }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

/// A moment as people and the bus tell it.
public struct WallTime: Comparable, Hashable, Sendable {
    /// Microseconds since the epoch.
    public var microseconds: UInt64

    public init(microseconds: UInt64) {
        self.microseconds = microseconds
    }

    public static var now: WallTime {
        let time = read(CLOCK_REALTIME)
        return WallTime(microseconds: UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec) / 1000)
    }

    public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }
}

private func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
}
