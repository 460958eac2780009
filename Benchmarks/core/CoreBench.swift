// Measures the pure core: inputs per second with few and with very many calls.

import CallCore
import Glibc

@main
struct CoreBench {
    static let rounds = 2_000
    static let turns = 9

    /// Prints one line per number of calls: calls, inputs per second of processor time and ns per input (medians of all turns), and the
    /// effects that an input has on average. The numbers of calls, turns and rounds can be given.
    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let sizes = numbers.first.map { [$0] } ?? [2, 100, 10_000]
        let turns = numbers.count > 1 ? numbers[1] : Self.turns
        let rounds = numbers.count > 2 ? numbers[2] : Self.rounds
        for calls in sizes {
            let start = try Course(bystanders: calls - 2)
            var course = start
            for _ in 0..<rounds { try course.round() }
            var times: [Double] = []
            for _ in 0..<turns { times.append(measure(course, from: start.machine)) }
            let time = times.sorted()[turns / 2]
            let effects = Double(course.effects) / Double(course.inputs.count)
            print("\(calls) \(Int(1e9 / time)) \(Int(time)) \(Double(Int(effects * 100)) / 100)")
        }
    }

    /// Nanoseconds per input, with nothing else to do than to apply them.
    private static func measure(_ course: Course, from start: CallMachine) -> Double {
        var machine = start
        var effects = 0
        // The first changes copy what the two machines share.
        let warmUp = course.inputs.count / 10
        for (input, now) in course.inputs[..<warmUp] { effects += machine.apply(input, at: now).count }
        let before = processorTime()
        for (input, now) in course.inputs[warmUp...] { effects += machine.apply(input, at: now).count }
        return (processorTime() - before) / Double(course.inputs.count - warmUp)
    }

    /// What this process has used, in ns: other processes do not count.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
