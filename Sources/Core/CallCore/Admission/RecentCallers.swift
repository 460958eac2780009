// The callers whose calls were filtered recently.

import CallModel

/// The most recent callers, and when each was filtered; bounded.
struct RecentCallers: Sendable {
    private struct Entry: Sendable {
        let handle: Handle
        let uptime: Uptime
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    mutating func note(_ handle: Handle, at now: Instant, limit: Int) {
        entries.removeAll { $0.handle == handle }
        entries.append(Entry(handle: handle, uptime: now.uptime))
        if entries.count > limit { entries.removeFirst(entries.count - limit) }
    }

    /// Whether `handle` was noted in the last `milliseconds`.
    func contains(_ handle: Handle, at now: Instant, withinMilliseconds milliseconds: UInt32) -> Bool {
        entries.contains { entry in
            entry.handle == handle && now.uptime - min(entry.uptime, now.uptime) <= UInt64(milliseconds) * 1_000
        }
    }
}
