// A compiled directory finds exactly the entries that were written, in order.

import CallModel
import Testing

@testable import CallDirectory

@Suite struct CompiledDirectoryTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Distributions of numbers: dense, as in a country, with a few outliers, spread over the whole range, in clusters
    /// far apart.
    enum Spread: CaseIterable {
        case dense, nation, outliers, everything, clusters

        func numbers(_ count: Int, _ generator: inout Seeded) -> [Int64] {
            var numbers: Set<Int64> = []
            while numbers.count < count {
                switch self {
                case .dense: numbers.insert(.random(in: 1...Int64(count * 2), using: &generator))
                case .nation: numbers.insert(.random(in: 46_100_000_000...46_999_999_999, using: &generator))
                case .outliers where numbers.count < 3: numbers.insert([5, 999_999_999_999_999, 1][numbers.count])
                case .outliers: numbers.insert(.random(in: 46_100_000_000...46_100_999_999, using: &generator))
                case .everything: numbers.insert(.random(in: 1...DirectoryOrder.maximumNumber, using: &generator))
                case .clusters:
                    let start = Int64(1) << Int64.random(in: 0...61, using: &generator)
                    numbers.insert(start + .random(in: 0...40, using: &generator))
                    if numbers.count > 1_500 { return numbers.sorted() }
                }
            }
            return numbers.sorted()
        }
    }

    @Test(arguments: Spread.allCases, [1, 2, 127, 128, 129, 1_000, 40_000])
    func numbersAreFoundAgain(_ spread: Spread, _ count: Int) throws {
        var generator = Seeded(UInt64(count))
        let numbers = spread.numbers(min(count, spread == .clusters ? 1_500 : count), &generator)
        let directory = try scratch.directory("a", blocked: numbers)
        let members = Set(numbers)
        #expect(directory.counts == DirectoryCounts(blocked: numbers.count))
        #expect(Array(directory.blockedNumbers) == numbers)
        var wrong: [Int64] = []
        for number in numbers {
            for question in [number - 1, number, number + 1]
            where directory.blocks(question) != members.contains(question) {
                wrong.append(question)
            }
        }
        #expect(wrong.isEmpty)
        for question in [Int64.min, -1, 0, .max] { #expect(!directory.blocks(question)) }
        #expect(directory.labels(of: numbers[0]).isEmpty && directory.label(of: numbers[0]) == nil)
    }

    @Test(arguments: [1, 3, 128, 5_000]) func labelsAreFoundAgain(_ count: Int) throws {
        var generator = Seeded(UInt64(count) + 9)
        let numbers = Spread.nation.numbers(count, &generator)
        var entries: [IdentificationEntry] = []
        var expected: [Int64: [String]] = [:]
        for number in numbers {
            // Now and then more labels for one number than a block holds.
            let labels =
                Int.random(in: 0..<500, using: &generator) == 0 ? 300 : Int.random(in: 1...3, using: &generator)
            for label in 0..<labels {
                let text = label == 0 ? "Firma \(number % 17) åäö ☎️" : "\(label)"
                entries.append(IdentificationEntry(number, text))
                expected[number, default: []].append(text)
            }
        }
        let directory = try scratch.directory("a", identified: entries)
        #expect(Array(directory.identifiedNumbers) == entries)
        for (number, labels) in expected {
            #expect(directory.labels(of: number) == labels)
            #expect(directory.label(of: number) == labels[0])
            if expected[number + 1] == nil { #expect(directory.label(of: number + 1) == nil) }
        }
        #expect(directory.labelCount == Set(entries.map(\.label)).count)
        #expect(!directory.blocks(numbers[0]))
    }

    @Test func bothKindsMayComeInTurns() throws {
        let writer = try CompiledDirectoryWriter(scratch.path("a"))
        for number in Int64(1)...1_000 {
            try writer.block(number * 3)
            try writer.identify(number, "\(number % 7)")
        }
        try writer.finish()
        let directory = try CompiledDirectory(scratch.path("a"))
        #expect(Array(directory.blockedNumbers) == (1...1_000).map { $0 * 3 })
        #expect((1...1_000).allSatisfy { directory.label(of: $0) == "\($0 % 7)" })
        #expect(directory.labelCount == 7)
    }

    @Test func anEmptyOneHoldsNothing() throws {
        let directory = try scratch.directory("a")
        #expect(directory.counts == DirectoryCounts() && !directory.blocks(1) && directory.label(of: 1) == nil)
        #expect(Array(directory.blockedNumbers).isEmpty && Array(directory.identifiedNumbers).isEmpty)
    }

    @Test func aNationWideListIsSmall() throws {
        var generator = Seeded(4)
        // A hundred thousand of the ten thousandth part of the numbers that ten million have to share.
        let numbers = Set(
            (0..<100_000).map { _ in Int64.random(in: 12_000_000_000..<12_100_000_000, using: &generator) })
        let directory = try scratch.directory("a", blocked: numbers.sorted())
        #expect(Double(directory.size) / Double(numbers.count) < 2.6)
    }

    @Test(
        arguments: [
            ([1, 5, 3], "EntriesOutOfOrder: blocking entry 3: 3 comes after 5, expected ascending numbers"),
            ([7, 7], "DuplicateEntries: blocking entry 2: 7 comes after 7, which is blocked already"),
            ([0], "EntriesOutOfOrder: blocking entry 1: 0 is not a valid number, expected 1 to 9223372036854775806"),
            (
                [4, -4],
                "EntriesOutOfOrder: blocking entry 2: -4 after 4 is not a valid number, expected 1 to 9223372036854775806"
            ),
            (
                [.max],
                "EntriesOutOfOrder: blocking entry 1: 9223372036854775807 is not a valid number, expected 1 to 9223372036854775806"
            ),
            ([1, 2, 3, 4], "MaximumEntriesExceeded: blocking entry 4: more than 3 entries, which is the most"),
        ] as [([Int64], String)]) func disorderIsRefused(numbers: [Int64], text: String) throws
    {
        let writer = try CompiledDirectoryWriter(scratch.path("a"), maximumEntries: 3)
        let error = #expect(throws: CallError.self) { try writer.block(numbers) }
        #expect(error?.description == text)
    }

    @Test func disorderOfIdentificationIsRefused() throws {
        let writer = try CompiledDirectoryWriter(scratch.path("a"))
        try writer.identify(5, "a")
        try writer.identify(5, "b")
        let twice = #expect(throws: CallError.self) { try writer.identify(5, "a\u{1B}\n") }
        #expect(twice?.message == "identification entry 3: 5 comes after 5 with the same label")
        let below = #expect(throws: CallError.self) { try writer.identify(4, "a") }
        #expect(below?.code == .entriesOutOfOrder)
    }

    @Test func labelsAreMadeFitToShow() throws {
        let hostile = [
            String(repeating: "x", count: 1 << 20), "\u{202E}evil\u{0}\u{1B}[2J\r\n", "",
            "a" + String(repeating: "\u{301}", count: 100_000),
        ]
        let entries = hostile.enumerated().map { IdentificationEntry(Int64($0.offset + 1), $0.element) }
        let directory = try scratch.directory("a", identified: entries)
        #expect(directory.label(of: 1) == String(repeating: "x", count: 256))
        #expect(directory.label(of: 2) == "evil[2J")
        #expect(directory.label(of: 3) == "")
        #expect((directory.label(of: 4) ?? "").utf8.count <= String.maximumLabelBytes)
    }

    @Test func thereIsRoomForSoManyLabelsOnly() throws {
        let writer = try CompiledDirectoryWriter(scratch.path("a"))
        let tail = String(repeating: "y", count: 240)
        let error = #expect(throws: CallError.self) {
            for number in Int64(1)...1_000_000 { try writer.identify(number, "\(number)\(tail)") }
        }
        #expect(error?.code == .maximumEntriesExceeded)
    }

    @Test func whatIsNotFinishedChangesNothing() throws {
        _ = try scratch.directory("a", blocked: [1])
        do {
            let writer = try CompiledDirectoryWriter(scratch.path("a"))
            try writer.block([1, 2, 3])
        }
        #expect(try scratch.names == ["a"])
        #expect(try Array(CompiledDirectory(scratch.path("a")).blockedNumbers) == [1])
        // An open directory does not change when another one replaces its file.
        let old = try CompiledDirectory(scratch.path("a"))
        let new = try scratch.directory("a", blocked: [9])
        #expect(old.blocks(1) && !old.blocks(9) && new.blocks(9) && !new.blocks(1))
    }

    @Test func failedCallsHaveTheirName() throws {
        let missing = #expect(throws: CompiledDirectoryError.self) { try CompiledDirectory(self.scratch.path("none")) }
        #expect(missing?.isMissing == true)
        let folder = #expect(throws: CompiledDirectoryError.self) {
            try CompiledDirectoryWriter(self.scratch.path("none/a"))
        }
        #expect(folder?.description.hasSuffix("none/a.new: no such file or directory") == true)
        let place = #expect(throws: CompiledDirectoryError.self) { try CompiledDirectory(self.scratch.path("")) }
        #expect(place == .damaged("it is not a regular file"))
    }
}
