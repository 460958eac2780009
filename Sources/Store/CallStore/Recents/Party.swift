// Party: who a call was with, once for all calls that say the same of them.

internal import GRDB

/// A row of the table `party`. There are far fewer of them than calls, so that text is looked for here.
enum Party {
    /// What text is looked for in: handle, normalized handle and name, without regard to case. No needle has a line break.
    static func text(handle: String, normalized: String, name: String) -> String {
        "\(handle)\n\(normalized)\n\(name)".lowercased()
    }

    /// The party's number; a new one for one who is new.
    static func id(
        handle: String, normalized: String, name: String, _ database: Database
    ) throws -> Int64 {
        let text = text(handle: handle, normalized: normalized, name: name)
        let known = try database.cachedStatement(sql: "SELECT id FROM party WHERE text = ? AND normalized = ?")
        if let id = try Int64.fetchOne(known, arguments: [text, normalized]) { return id }
        try database.execute(
            sql: "INSERT INTO party (normalized, text) VALUES (?, ?)", arguments: [normalized, text])
        let id = database.lastInsertedRowID
        // The block before is full, and will seldom change again.
        let block = id >> PartyBlock.bits
        if id == block << PartyBlock.bits, block > 0 { try PartyBlock(block - 1, database).store(database) }
        return id
    }

    /// The parties that are compared as this.
    static func all(normalized: String, _ database: Database) throws -> PartySet {
        var parties = PartySet()
        let ids = try Int64.fetchCursor(
            database, sql: "SELECT id FROM party WHERE normalized = ?", arguments: [normalized])
        while let id = try ids.next() { parties.insert(id) }
        return parties
    }

    /// The parties in whose text one of these is.
    ///
    /// - Parameter missing: gets the blocks that had to be made for it.
    static func all(having texts: [String], missing: inout [Int64], _ database: Database) throws -> PartySet {
        let needles = texts.map { Needle($0.lowercased()) }
        var parties = PartySet()
        let highest = try database.cachedStatement(sql: "SELECT max(id) FROM party WHERE id <= ?")
        var top = Int64.max
        while top >= 0, let id = try Int64.fetchOne(highest, arguments: [top]), id >= 0 {
            let number = id >> PartyBlock.bits
            let block: PartyBlock
            if let stored = try PartyBlock(stored: number, database) {
                block = stored
            } else {
                missing.append(number)
                block = try PartyBlock(number, database)
            }
            for needle in needles { block.find(needle, in: &parties) }
            top = number << PartyBlock.bits - 1
        }
        return parties
    }

    /// Names for each provider a number, by which rows are compared.
    static func providerNumber(_ provider: String, _ database: Database) throws -> Int64? {
        let known = try database.cachedStatement(sql: "SELECT number FROM providerNumber WHERE provider = ?")
        return try Int64.fetchOne(known, arguments: [provider])
    }
}

/// Numbers of parties.
struct PartySet: Sendable {
    private var words: [UInt64] = []
    private(set) var count = 0
    var isEmpty: Bool { count == 0 }

    /// Numbers from here on are those of a file that somebody has made up.
    private static let highest = 1 << 26

    mutating func insert(_ id: Int64) {
        guard let number = Int(exactly: id), (0..<Self.highest).contains(number) else { return }
        while words.count <= number >> 6 { words.append(0) }
        let bit: UInt64 = 1 << UInt64(number & 63)
        if words[number >> 6] & bit == 0 { count += 1 }
        words[number >> 6] |= bit
    }

    func contains(_ id: UInt32) -> Bool {
        let number = Int(id)
        return number >> 6 < words.count && words[number >> 6] & 1 << UInt64(number & 63) != 0
    }

    func intersection(_ other: PartySet) -> PartySet {
        var both = PartySet()
        both.words = zip(words, other.words).map { $0 & $1 }
        both.count = both.words.reduce(0) { $0 + $1.nonzeroBitCount }
        return both
    }
}
