// RecentShares: whose rows make room when there are too many.

internal import SQLite

/// How many rows each owner of providers has: an app that makes many does not push out those of others.
struct RecentShares {
    /// The ids of each owner's providers, and how many rows they have.
    private var owners: [(providers: [String], rows: Int)]

    init(_ database: Database) throws {
        let counts = try Row.fetchAll(database, sql: "SELECT provider, count(*) AS rows FROM recent GROUP BY provider")
        var owners: [Substring: (providers: [String], rows: Int)] = [:]
        for count in counts {
            let provider: String = try count.decode(forColumn: "provider")
            let rows: Int = try count.decode(forColumn: "rows")
            let former = owners[Self.owner(of: provider)] ?? ([], 0)
            owners[Self.owner(of: provider)] = (former.providers + [provider], former.rows + rows)
        }
        self.owners = owners.sorted { ($1.value.rows, $0.key) < ($0.value.rows, $1.key) }.map(\.value)
    }

    /// A sandboxed app, whatever it calls its providers: their ids are app_APP__NAME. Any other provider is an owner of its own.
    private static func owner(of provider: String) -> Substring {
        guard provider.hasPrefix("app_") else { return provider[...] }
        var end = provider.startIndex
        while let next = provider[end...].firstIndex(of: "_") {
            end = provider.index(after: next)
            if provider[end...].hasPrefix("_") { return provider[..<end] }
        }
        return provider[...]
    }

    /// How many rows those with most of them lose, so that `excess` rows go in all.
    private func losses(_ excess: Int) -> [(providers: [String], rows: Int)] {
        var left = excess
        var losers: [(providers: [String], rows: Int)] = []
        // Takes them down, step by step, to the number of rows that the next one has.
        for (index, owner) in owners.enumerated() where left > 0 {
            losers.append((owner.providers, 0))
            let next = index + 1 < owners.count ? owners[index + 1].rows : 0
            let each = min(owner.rows - next, (left + index) / (index + 1))
            for loser in losers.indices where left > 0 {
                let taken = min(each, left)
                losers[loser].rows += taken
                left -= taken
            }
        }
        return losers
    }

    /// Deletes the oldest rows of those that have most, except those of open calls. What is left of `excess` is for the
    /// next time.
    func delete(_ excess: Int, _ database: Database) throws {
        for (providers, rows) in losses(excess) where rows > 0 {
            let some = Array(providers.prefix(Self.mostParameters))
            _ = try RecentTable.delete(
                where: """
                    id IN (SELECT id FROM recent WHERE provider IN \(some) AND NOT open ORDER BY id LIMIT \(rows))
                    """, database)
        }
    }

    /// A statement takes few.
    private static let mostParameters = 1_000
}
