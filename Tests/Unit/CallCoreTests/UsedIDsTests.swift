// The memory of used identifiers is exact for the latest ones, and bounded.

import CallModel
import CallSimulation
import Testing

@testable import CallCore

@Suite struct UsedIDsTests {
    @Test func agreesWithASet() {
        var generator = SeededGenerator(seed: 7)
        var (used, set) = (UsedIDs(), Set<CallID>())
        for number in 0..<20_000 {
            let id = CallID.random(using: &generator)
            #expect(!used.contains(id))
            // Half of them stay unknown.
            guard number % 2 == 0 else { continue }
            used.insert(id)
            if number % 10 == 0 { used.insert(id) }
            set.insert(id)
        }
        #expect(set.allSatisfy(used.contains))
    }

    @Test func remembersTheLatestAndForgetsTheOldest() {
        var used = UsedIDs()
        func id(_ number: Int) -> CallID { CallID(high: 0, low: UInt64(number)) }
        for number in 0..<100_000 { used.insert(id(number)) }
        #expect((100_000 - 32_768..<100_000).allSatisfy { used.contains(id($0)) })
        #expect((0..<100_000 - 65_536).allSatisfy { !used.contains(id($0)) })
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
