// Reading the recents.

import CallClient
import CallModel
import DBus
import EventLoop

extension Session {
    /// The number of rows to request at once; the answer may have fewer.
    nonisolated static let recentsPage: UInt64 = 200

    /// Returns the newest calls that pass `filter`, newest first.
    func recents(_ filter: VariantDictionary, atMost limit: UInt64) async throws(Failure) -> [RecentCall] {
        var calls: [RecentCall] = []
        try await eachRecent(filter, atMost: limit) { calls += $0 }
        return calls
    }

    /// Passes calls to `body` page by page, newest first. Calls that come or go meanwhile do not shift the pages.
    func eachRecent(
        _ filter: VariantDictionary, atMost limit: UInt64 = .max, _ body: ([RecentCall]) throws(Failure) -> Void
    ) async throws(Failure) {
        var filter = filter
        var left = limit
        while left > 0 {
            let count = UInt32(min(left, Self.recentsPage))
            let rows: [VariantDictionary] = try await call(
                at: DaemonPath.recents, Contract.recents, "List", filter, UInt32(0), count,
                waiting: Self.quickTimeout)
            let page = rows.map { RecentCall(properties: $0) }
            guard let last = page.last else { return }
            try body(page)
            filter["before"] = .int64(Int64(clamping: last.id))
            left -= min(left, UInt64(page.count))
        }
    }
}
