// BackOff: when a process that failed is started again.

import EventLoop

/// The pauses between a failure of a process and its next start.
struct BackOff {
    /// A failure counts for this long, in milliseconds.
    static let window = 60_000

    /// The pause after each failure in a row, in milliseconds; the last one repeats.
    private let pauses: [Int]
    /// This many failures within `window` end the attempts; nil never ends them.
    private let limit: Int?
    private var inARow = 0
    private var recent: [MonotonicTime] = []

    init(pauses: [Int], limit: Int? = nil) {
        self.pauses = pauses
        self.limit = limit
    }

    /// Returns the pause before the next start, or nil if there is to be none.
    ///
    /// - Parameter start: When the process that failed was started. A long run begins a new row of failures.
    mutating func pause(afterRunFrom start: MonotonicTime, to now: MonotonicTime) -> Int? {
        if now.milliseconds(since: start) > Self.window { inARow = 0 }
        inARow += 1
        recent = recent.filter { now.milliseconds(since: $0) < Self.window } + [now]
        if let limit, recent.count >= limit { return nil }
        return pauses[min(inARow, pauses.count) - 1]
    }

    /// Forgets all failures.
    mutating func reset() {
        inARow = 0
        recent = []
    }
}
