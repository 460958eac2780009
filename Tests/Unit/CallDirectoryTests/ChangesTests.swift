// Incremental loads: the remaining old entries and the new ones.

import CallModel
import Testing

@testable import CallDirectory

@Suite struct ChangesTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func merge(
        _ old: CompiledDirectory?, _ removals: DirectoryRemovals, _ additions: CompiledDirectory,
        maximumEntries: Int = 1_000_000
    ) throws -> CompiledDirectory {
        let writer = try CompiledDirectoryWriter(scratch.path("merged"), maximumEntries: maximumEntries)
        try CompiledDirectory.merge(old, removing: removals, adding: additions, into: writer)
        try writer.finish()
        return try CompiledDirectory(scratch.path("merged"))
    }

    @Test func aMergeIsWhatSetsSay() throws {
        var generator = Seeded(3)
        for _ in 0..<50 {
            func some(_ range: ClosedRange<Int64>) -> [Int64] {
                let count = Int.random(in: 0...400, using: &generator)
                return Array(Set((0..<count).map { _ in Int64.random(in: range, using: &generator) }))
            }
            let (old, new, gone) = (some(1...600), some(1...600), some(1...600))
            var removals = DirectoryRemovals()
            try removals.unblock(gone)
            if Int.random(in: 0..<5, using: &generator) == 0 { removals.unblockAll() }
            let merged = try merge(
                scratch.directory("old", blocked: old.sorted()), removals,
                scratch.directory("new", blocked: new.sorted()))
            let kept = removals.removesAllBlocked ? [] : Set(old).subtracting(gone)
            #expect(Array(merged.blockedNumbers) == kept.union(new).sorted())
        }
    }

    @Test func labelsOfANumberAreRemovedTogetherAndAddedOnce() throws {
        func entry(_ number: Int64, _ label: String) -> IdentificationEntry { IdentificationEntry(number, label) }
        let old = try scratch.directory(
            "old", blocked: [8],
            identified: [entry(1, "a"), entry(1, "b"), entry(2, "a"), entry(3, "c"), entry(9, "z")])
        let new = try scratch.directory(
            "new", identified: [entry(1, "n"), entry(2, "b"), entry(2, "a"), entry(4, "d"), entry(9, "z")])
        var removals = DirectoryRemovals()
        try removals.unidentify([1, 3, 77])
        let merged = try merge(old, removals, new)
        #expect(
            Array(merged.identifiedNumbers) == [
                entry(1, "n"), entry(2, "a"), entry(2, "b"), entry(4, "d"), entry(9, "z"),
            ])
        #expect(merged.blocks(8))
        removals.unidentifyAll()
        #expect(try Array(merge(old, removals, new).identifiedNumbers) == Array(new.identifiedNumbers))
        #expect(try Array(merge(nil, removals, new).identifiedNumbers) == Array(new.identifiedNumbers))
    }

    @Test func theSumHasALimit() throws {
        let (old, new) = (
            try scratch.directory("old", blocked: [1, 2]), try scratch.directory("new", blocked: [3, 4])
        )
        let error = #expect(throws: CallError.self) { try merge(old, DirectoryRemovals(), new, maximumEntries: 3) }
        #expect(error?.code == .maximumEntriesExceeded)
        var removals = DirectoryRemovals()
        try removals.unblock([1])
        #expect(try merge(old, removals, new, maximumEntries: 3).counts.blocked == 3)
    }

    @Test func removalsOneByOneHaveALimit() throws {
        var removals = DirectoryRemovals()
        try removals.unblock(Array(repeating: 1, count: DirectoryRemovals.maximumNumbers))
        let error = #expect(throws: CallError.self) { try removals.unblock([1]) }
        #expect(error?.code == .maximumEntriesExceeded)
        removals.unblockAll()
        try removals.unblock([1])
        #expect(removals.blocked.isEmpty)
    }
}
