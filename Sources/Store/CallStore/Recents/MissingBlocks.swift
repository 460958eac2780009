// MissingBlocks: what is to be put together once more.

internal import GRDB

/// Blocks that were not there when they were needed.
struct MissingBlocks: Sendable {
    var recents: [Int64] = []
    var parties: [Int64] = []

    /// Those that change all the time are not worth the writing: the newest, and what retention nibbles at.
    private static let tolerated = 2
    /// How many are put together in one transaction.
    private static let share = 32

    var areMany: Bool { recents.count > Self.tolerated || parties.count > Self.tolerated }

    /// Stores some of them, and forgets these.
    func stored(_ database: Database) throws -> MissingBlocks {
        for number in recents.prefix(Self.share) { try RecentBlock(number, database).store(database) }
        for number in parties.prefix(Self.share) { try PartyBlock(number, database).store(database) }
        return MissingBlocks(
            recents: Array(recents.dropFirst(Self.share)), parties: Array(parties.dropFirst(Self.share)))
    }
}
