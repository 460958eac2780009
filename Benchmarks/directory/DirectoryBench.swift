// directory-bench FOLDER [ENTRIES]: the compiled directory against SQLite, on the same numbers, in one run.
//
// Prints a line for each measure: its name, ours, SQLite's.

internal import CallDirectory
internal import Glibc

@main
enum DirectoryBench {
    static let lookups = 1_000_000

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2, let entries = Int(arguments.count > 2 ? arguments[2] : "10000000"), entries > 1_000
        else {
            print("usage: directory-bench FOLDER [ENTRIES]")
            exit(64)
        }
        let numbers = NumberPlan.numbers(entries)
        let path = "\(arguments[1])/bench.directory"
        let writing = try seconds {
            let writer = try CompiledDirectoryWriter(path)
            try writer.block(numbers)
            try writer.finish()
        }
        var directory: CompiledDirectory?
        let opening = try seconds { directory = try CompiledDirectory(path) }
        guard let directory else { return }
        let table = try Table("\(arguments[1])/bench.sqlite")
        let inserting = try seconds { try table.fill(numbers) }
        line("write-seconds", writing, inserting)
        line("open-milliseconds", opening * 1_000, 0)
        line("bytes-per-entry", Double(directory.size) / Double(entries), Double(table.size) / Double(entries))
        // Half of the questions are about numbers that are blocked, half about others, in no order.
        var generator = SplitMix(seed: 7)
        let questions = (0..<lookups).map { index in
            let number = numbers[Int(generator.next() % UInt64(entries))]
            return index % 2 == 0 ? number : number + 1
        }
        let turns = try (0..<5).map { _ in
            var (ours, theirs) = (0, 0)
            let mine = seconds { for question in questions where directory.blocks(question) { ours += 1 } }
            let other = try seconds { for question in questions { theirs += try table.has(question) ? 1 : 0 } }
            guard ours == theirs, ours >= lookups / 2 else { throw Failure(text: "\(ours) found, SQLite \(theirs)") }
            return (mine, other)
        }
        let each = 1e9 / Double(lookups)
        line("lookup-nanoseconds", median(turns.map(\.0)) * each, median(turns.map(\.1)) * each)
        try measureLabels(arguments[1], Array(numbers.prefix(1_000_000)))
    }

    /// A million numbers with 50,000 labels, as a list of companies has them.
    private static func measureLabels(_ folder: String, _ numbers: [Int64]) throws {
        let path = "\(folder)/bench-labels.directory"
        let writer = try CompiledDirectoryWriter(path)
        for (index, number) in numbers.enumerated() { try writer.identify(number, "Company \(index * 7 % 50_000)") }
        try writer.finish()
        let directory = try CompiledDirectory(path)
        line("label-count", Double(directory.labelCount), 50_000)
        line("label-bytes-per-entry", Double(directory.size) / Double(numbers.count), 0)
        var generator = SplitMix(seed: 8)
        let questions = (0..<lookups).map { _ in numbers[Int(generator.next() % UInt64(numbers.count))] }
        let turns = (0..<5).map { _ in
            var length = 0
            let time = seconds {
                for question in questions { length += directory.label(of: question)?.utf8.count ?? 0 }
            }
            guard length >= lookups * 9 else { return Double.infinity }
            return time
        }
        line("label-nanoseconds", median(turns) * 1e9 / Double(lookups), 0)
    }

    private static func line(_ name: String, _ ours: Double, _ theirs: Double) { print(name, ours, theirs) }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }
}

struct Failure: Error {
    let text: String
}
