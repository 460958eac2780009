// What is remembered of calls that are gone, compared with a set of their identifiers.

import CallModel
import CallSimulation
import Testing

@testable import CallCore

@Suite struct UsedIDsTests {
    /// Kinds of identifiers that apps use: random, of a moment (versions 1 and 7), and counted.
    enum Kind: CaseIterable {
        case random, timeFirst, timeInPieces, counted

        func id(_ number: UInt64, using generator: inout some RandomNumberGenerator) -> CallID {
            switch self {
            case .random: CallID.random(using: &generator)
            case .timeFirst: CallID(high: 0x0192_3F00_0000_7000 + number << 16, low: 0x8000_0000_0000_0001)
            case .timeInPieces: CallID(high: number << 32 | 0x1EF2_1D5C, low: 0x9A3B_0242_AC12_0002)
            case .counted: CallID(high: 0, low: number)
            }
        }
    }

    @Test(arguments: Kind.allCases) func agreesWithASet(_ kind: Kind) {
        var generator = SeededGenerator(seed: 7)
        var (used, set) = (UsedIDs(), Set<CallID>())
        for number in 0..<20_000 {
            let id = kind.id(UInt64(number), using: &generator)
            #expect(used.contains(id) == set.contains(id))
            // Half of them stay unknown.
            guard number % 2 == 0 else { continue }
            used.insert(id)
            if number % 10 == 0 { used.insert(id) }
            set.insert(id)
            #expect(used.contains(id))
        }
        #expect(used.count == set.count)
        #expect(set.allSatisfy(used.contains))
        for number in 0..<20_000 {
            let id = kind.id(UInt64(number) | 1 << 40, using: &generator)
            #expect(used.contains(id) == set.contains(id))
        }
    }

    @Test(arguments: Kind.allCases) func takesEightBytesEach(_ kind: Kind) {
        var generator = SeededGenerator(seed: 8)
        var used = UsedIDs()
        for number in 1...50_000 {
            used.insert(kind.id(UInt64(number), using: &generator))
            guard number >= 10_000, number % 97 == 0 else { continue }
            if used.bytes > 8 * number {
                Issue.record("\(used.bytes) bytes for \(number) identifiers")
                return
            }
        }
        #expect(used.count == 50_000)
    }

    @Test func aCopyIsItsOwn() {
        var generator = SeededGenerator(seed: 9)
        let ids = (0..<2_000).map { _ in CallID.random(using: &generator) }
        var used = UsedIDs()
        for id in ids[..<1_000] { used.insert(id) }
        var copy = used
        for id in ids[1_000...] { copy.insert(id) }
        #expect(ids[1_000...].allSatisfy { !used.contains($0) && copy.contains($0) })
        #expect(ids[..<1_000].allSatisfy { used.contains($0) && copy.contains($0) })
    }
}
