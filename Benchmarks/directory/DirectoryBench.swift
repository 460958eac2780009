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
        let folder = arguments[1]
        try measureNumbers(folder, NumberPlan.numbers(entries), "")
        try measureNumbers(folder, NumberPlan.clusters(entries), "-in-clusters")
        try measureLabels(folder, NumberPlan.numbers(1_000_000))
    }

    private static func measureNumbers(_ folder: String, _ numbers: [Int64], _ kind: String) throws {
        let path = "\(folder)/bench.directory"
        let writing = try seconds {
            let writer = try CompiledDirectoryWriter(path)
            try writer.block(numbers)
            try writer.finish()
        }
        var directory: CompiledDirectory?
        let opening = try seconds { directory = try CompiledDirectory(path) }
        guard let directory else { return }
        let table = try Table("\(folder)/bench.sqlite")
        let inserting = try seconds { try table.fill(numbers) }
        line("write-seconds" + kind, writing, inserting)
        line("open-milliseconds" + kind, opening * 1_000, 0)
        let count = Double(numbers.count)
        line("bytes-per-entry" + kind, Double(directory.size) / count, Double(table.size) / count)
        if kind.isEmpty { line("one-cold-access-nanoseconds", coldAccess(directory.size), 0) }
        var generator = SplitMix(seed: 7)
        let blocked = (0..<lookups).map { _ in numbers[Int(generator.next() % UInt64(numbers.count))] }
        let others = (0..<lookups).map { _ in NumberPlan.any(&generator) }
        let both = blocked.map { $0 + Int64(generator.next() % 2) }
        try measureLookups(directory, table, blocked, "lookup-nanoseconds-blocked" + kind)
        try measureLookups(directory, table, others, "lookup-nanoseconds-others" + kind)
        try measureLookups(directory, table, both, "lookup-nanoseconds-both" + kind)
    }

    /// In no order.
    private static func measureLookups(
        _ directory: CompiledDirectory, _ table: Table, _ questions: [Int64], _ name: String
    ) throws {
        var theirs = 0
        let other = try busySeconds { for question in questions { theirs += try table.has(question) ? 1 : 0 } }
        let turns = try (0..<9).map { _ in
            var ours = 0
            let mine = busySeconds { for question in questions { ours += directory.blocks(question) ? 1 : 0 } }
            guard ours == theirs else { throw Failure(text: "\(ours) found, SQLite \(theirs)") }
            return mine
        }
        line(name, median(turns) * 1e9 / Double(lookups), other * 1e9 / Double(lookups))
    }

    /// What the machine takes by itself to fetch a word out of as many bytes as the numbers have in the file.
    private static func coldAccess(_ bytes: Int) -> Double {
        let words = Array(0..<UInt64(bytes / 8))
        var place: UInt64 = 1
        let turns = (0..<9).map { _ in
            busySeconds {
                for _ in 0..<lookups {
                    place = (place &+ words[Int(place >> 33) % words.count]) &* 6_364_136_223_846_793_005 &+ 12_345
                }
            }
        }
        return place == 0 ? 0 : median(turns) * 1e9 / Double(lookups)
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
        let turns = (0..<9).map { _ in
            var length = 0
            let time = busySeconds {
                for question in questions { length += directory.label(of: question)?.utf8.count ?? 0 }
            }
            guard length >= lookups * 9 else { return Double.infinity }
            return time
        }
        line("label-nanoseconds", median(turns) * 1e9 / Double(lookups), 0)
    }

    private static func line(_ name: String, _ ours: Double, _ theirs: Double) { print(name, ours, theirs) }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// What the thread took: it is not the turn's fault if others have the processor meanwhile.
    private static func busySeconds(_ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        try body()
        return now() - start
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }
}

struct Failure: Error {
    let text: String
}
