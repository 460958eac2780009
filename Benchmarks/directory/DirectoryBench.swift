// directory-bench FOLDER ENTRIES TURNS: the compiled directory against SQLite, on the same numbers, in one run.
//
// Prints a line for each measure, with tabs between: its name, SQLite's, and ours, as often as it was measured.

internal import CallDirectory
internal import Glibc

@main
struct DirectoryBench {
    static let lookups = 1_000_000
    /// Of one look-up, in a second of all.
    static let nanoseconds = 1e9 / Double(lookups)

    let folder: String
    let turns: Int

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let entries = Int(arguments[2]), entries > 1_000, let turns = Int(arguments[3])
        else {
            print("usage: directory-bench FOLDER ENTRIES TURNS")
            exit(64)
        }
        let bench = Self(folder: arguments[1], turns: turns)
        try bench.measureNumbers(NumberPlan.numbers(entries), "")
        let found = try bench.measureNumbers(NumberPlan.clusters(entries), ", clusters")
        try bench.measureLabels(NumberPlan.numbers(1_000_000), found)
    }

    /// Returns what a look-up takes in SQLite.
    @discardableResult
    private func measureNumbers(_ numbers: [Int64], _ kind: String) throws -> Double {
        let path = "\(folder)/bench.directory"
        let writing = try seconds {
            let writer = try CompiledDirectoryWriter(path)
            try writer.block(numbers)
            try writer.finish()
        }
        var directory: CompiledDirectory?
        let opening = try seconds { directory = try CompiledDirectory(path) }
        guard let directory else { return 0 }
        let table = try Table("\(folder)/bench.sqlite")
        let inserting = try seconds { try table.fill(numbers) }
        line("write" + kind, [writing], inserting)
        line("open" + kind, [opening * 1_000])
        let count = Double(numbers.count)
        line("entry" + kind, [Double(directory.size) / count], Double(table.size) / count)
        if kind.isEmpty { line("word of as large a memory", coldAccess(directory.size)) }
        var generator = SplitMix(seed: 7)
        let blocked = (0..<Self.lookups).map { _ in numbers[Int(generator.next() % UInt64(numbers.count))] }
        let others = (0..<Self.lookups).map { _ in NumberPlan.any(&generator) }
        let both = blocked.map { $0 + Int64(generator.next() % 2) }
        try measureLookups(directory, table, blocked, "look-up, blocked" + kind)
        try measureLookups(directory, table, others, "look-up, others" + kind)
        return try measureLookups(directory, table, both, "look-up, both" + kind)
    }

    /// In no order.
    @discardableResult
    private func measureLookups(
        _ directory: CompiledDirectory, _ table: Table, _ questions: [Int64], _ name: String
    ) throws -> Double {
        var theirs = 0
        let other = try busySeconds { for question in questions { theirs += try table.has(question) ? 1 : 0 } }
        let times = try (0..<turns).map { _ in
            var ours = 0
            let mine = busySeconds { for question in questions { ours += directory.blocks(question) ? 1 : 0 } }
            guard ours == theirs else { throw Failure(text: "\(ours) found, SQLite \(theirs)") }
            return mine * Self.nanoseconds
        }
        line(name, times, other * Self.nanoseconds)
        return other * Self.nanoseconds
    }

    /// What the machine takes by itself to fetch a word out of as many bytes as the numbers have in the file.
    private func coldAccess(_ bytes: Int) -> [Double] {
        let words = Array(0..<UInt64(bytes / 8))
        var place: UInt64 = 1
        let times = (0..<turns).map { _ in
            busySeconds {
                for _ in 0..<Self.lookups {
                    place = (place &+ words[Int(place >> 33) % words.count]) &* 6_364_136_223_846_793_005 &+ 12_345
                }
            }
        }
        return place == 0 ? [] : times.map { $0 * Self.nanoseconds }
    }

    /// A million numbers with 50,000 labels, as a list of companies has them.
    private func measureLabels(_ numbers: [Int64], _ lookup: Double) throws {
        let path = "\(folder)/bench-labels.directory"
        let writer = try CompiledDirectoryWriter(path)
        for (index, number) in numbers.enumerated() { try writer.identify(number, "Company \(index * 7 % 50_000)") }
        try writer.finish()
        let directory = try CompiledDirectory(path)
        guard directory.labelCount == 50_000 else { throw Failure(text: "\(directory.labelCount) labels") }
        line("entry with a label", [Double(directory.size) / Double(numbers.count)])
        var generator = SplitMix(seed: 8)
        let questions = (0..<Self.lookups).map { _ in numbers[Int(generator.next() % UInt64(numbers.count))] }
        let times = try (0..<turns).map { _ in
            var length = 0
            let time = busySeconds {
                for question in questions { length += directory.label(of: question)?.utf8.count ?? 0 }
            }
            guard length >= Self.lookups * 9 else { throw Failure(text: "labels are missing") }
            return time * Self.nanoseconds
        }
        line("label", times, lookup)
    }

    private func line(_ name: String, _ ours: [Double], _ theirs: Double = 0) {
        print(([name, "\(theirs)"] + ours.map { "\($0)" }).joined(separator: "\t"))
    }

    /// What the thread took: it is not the turn's fault if others have the processor meanwhile.
    private func busySeconds(_ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        try body()
        return now() - start
    }

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }
}

struct Failure: Error {
    let text: String
}
