// Ranges of blocked numbers.

import CallModel
import Testing

@testable import CallDirectory

@Suite struct RangeTests {
    private func ranges(_ list: [ClosedRange<Int64>]) throws -> [ClosedRange<Int64>] {
        var ranges = NumberRanges()
        for range in list { try ranges.add([range]) }
        return ranges.list
    }

    @Test func whatTouchesIsJoined() throws {
        #expect(try ranges([10...19, 1...5, 20...29, 6...6, 12...15, 100...100]) == [1...6, 10...29, 100...100])
        #expect(try ranges([]) == [])
    }

    @Test(arguments: [0...5, -1...(-1), 1...Int64.max]) func numbersThatAreNone(range: ClosedRange<Int64>) {
        let error = #expect(throws: CallError.self) { try ranges([range]) }
        #expect(error?.code == .entriesOutOfOrder)
    }

    @Test func thereIsAMost() {
        var ranges = NumberRanges()
        let many = (1...NumberRanges.maximum).map { Int64($0 * 10)...Int64($0 * 10) }
        #expect(throws: Never.self) { try ranges.add(many) }
        let error = #expect(throws: CallError.self) { try ranges.add([5...5]) }
        #expect(error?.code == .maximumEntriesExceeded)
    }

    @Test func aFileHasThem() throws {
        let scratch = try Scratch()
        let writer = try CompiledDirectoryWriter(scratch.path("list"))
        try writer.block([7])
        try writer.blockRanges([200...299, 10...19])
        try writer.identify(8, "Team")
        #expect(writer.counts == DirectoryCounts(blocked: 1, identified: 1, ranges: 2))
        try writer.finish()
        let directory = try CompiledDirectory(scratch.path("list"))
        #expect(directory.counts == DirectoryCounts(blocked: 1, identified: 1, ranges: 2))
        for number: Int64 in [10, 15, 19, 200, 250, 299] { #expect(directory.blocksRange(with: number)) }
        for number: Int64 in [Int64.min, 0, 7, 9, 20, 199, 300, .max] { #expect(!directory.blocksRange(with: number)) }
        #expect(directory.blocks(7) && !directory.blocks(10) && directory.label(of: 8) == "Team")
    }

    /// Every damage is found, or harms nobody.
    @Test func damage() throws {
        let scratch = try Scratch()
        let writer = try CompiledDirectoryWriter(scratch.path("list"))
        try writer.blockRanges((1...50).map { Int64($0 * 100)...Int64($0 * 100 + 9) })
        try writer.finish()
        let sound = try scratch.bytes("list")
        for offset in sound.indices {
            for value: UInt8 in [0, 1, 0x80, 0xFF] {
                var bytes = sound
                bytes[offset] = value
                guard let directory = try? CompiledDirectory(bytes: bytes, verifyingChecksum: false) else { continue }
                for number: Int64 in [0, 105, 5_009, .max] { _ = directory.blocksRange(with: number) }
                _ = directory.blockedRanges
            }
        }
    }

    @Test func changesKeepThem() throws {
        let scratch = try Scratch()
        func directory(_ name: String, _ ranges: [ClosedRange<Int64>]) throws -> CompiledDirectory {
            let writer = try CompiledDirectoryWriter(scratch.path(name))
            try writer.blockRanges(ranges)
            try writer.finish()
            return try CompiledDirectory(scratch.path(name))
        }
        let (old, new) = (try directory("old", [1...5]), try directory("new", [10...15]))
        for (removesAll, expected) in [(false, [Int64(1)...5, 10...15]), (true, [10...15])] {
            var removals = DirectoryRemovals()
            if removesAll { removals.unblockAll() }
            let writer = try CompiledDirectoryWriter(scratch.path("merged"))
            try CompiledDirectory.merge(old, removing: removals, adding: new, into: writer)
            try writer.finish()
            #expect(try CompiledDirectory(scratch.path("merged")).blockedRanges == expected)
        }
    }
}
