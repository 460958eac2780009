// PartyBlock: the texts of 1,024 parties in a row, in one piece.

internal import Foundation
internal import GRDB

/// Derived from the table `party`, whose triggers delete it when what it says is not so any more.
struct PartyBlock {
    /// A block has the parties whose numbers are the same but for so many bits.
    static let bits: Int64 = 10
    private static let size = 1 << Int(bits)

    private let number: Int64
    /// For each party where its text ends, in four bytes, and then the texts with a byte between them that no text has.
    private var bytes: [UInt8]

    /// Puts a block together from the table.
    init(_ number: Int64, _ database: Database) throws {
        self.number = number
        bytes = Array(repeating: 0, count: 4 * Self.size)
        let first = number << Self.bits
        let statement = try database.cachedStatement(
            sql: "SELECT id, text FROM party WHERE id BETWEEN ? AND ? ORDER BY id")
        let rows = try Row.fetchCursor(statement, arguments: [first, first + Int64(Self.size) - 1])
        var next = 0
        while let row = try rows.next() {
            let slot = Int(try row.decode(Int64.self, atIndex: 0) &- first)
            guard (next..<Self.size).contains(slot) else { throw StorageFailure.corrupt("parties are not in order") }
            while next < slot { end(&next) }
            bytes += try row.decode(String.self, atIndex: 1).utf8
            end(&next)
        }
        while next < Self.size { end(&next) }
    }

    private mutating func end(_ slot: inout Int) {
        bytes.put(UInt32(bytes.count), at: 4 * slot)
        bytes.append(0xFF)
        slot += 1
    }

    /// The block as it was stored; nil if it is not.
    init?(stored number: Int64, _ database: Database) throws {
        let statement = try database.cachedStatement(sql: "SELECT texts FROM partyBlock WHERE id = ?")
        guard let data = try Data.fetchOne(statement, arguments: [number]), data.count >= 5 * Self.size else {
            return nil
        }
        self.number = number
        bytes = Array(data)
    }

    func store(_ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO partyBlock (id, texts) VALUES (?, ?)", arguments: [number, Data(bytes)])
    }

    /// Adds the parties whose text has `needle`.
    func find(_ needle: Needle, in parties: inout PartySet) {
        var slot = 0
        var start = 4 * Self.size
        while let place = needle.firstPlace(in: bytes, from: start) {
            while slot < Self.size, Int(bytes.number(at: 4 * slot)) <= place { slot += 1 }
            guard slot < Self.size else { return }
            parties.insert(number << Self.bits + Int64(slot))
            start = max(Int(bytes.number(at: 4 * slot)), place) + 1
        }
    }
}

/// Bytes to look for, with how far to go on from each that is not their last (Horspool).
struct Needle {
    private let bytes: [UInt8]
    private let steps: [Int]

    /// - Parameter text: not empty.
    init(_ text: String) {
        bytes = Array(text.utf8)
        var steps = Array(repeating: max(1, bytes.count), count: 256)
        for (place, byte) in bytes.dropLast().enumerated() { steps[Int(byte)] = bytes.count - 1 - place }
        self.steps = steps
    }

    func firstPlace(in hay: [UInt8], from start: Int) -> Int? {
        guard let last = bytes.last else { return nil }
        let length = bytes.count
        var end = start + length - 1
        while end < hay.count {
            let byte = hay[end]
            if byte == last {
                var place = 0
                while place < length - 1, hay[end - length + 1 + place] == bytes[place] { place += 1 }
                if place == length - 1 { return end - length + 1 }
            }
            end += steps[Int(byte)]
        }
        return nil
    }
}

extension [UInt8] {
    /// Four bytes as a number.
    func number(at place: Int) -> UInt32 {
        UInt32(self[place]) | UInt32(self[place + 1]) << 8 | UInt32(self[place + 2]) << 16
            | UInt32(self[place + 3]) << 24
    }

    mutating func put(_ number: UInt32, at place: Int) {
        for byte in 0..<4 { self[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(byte))) }
    }
}
