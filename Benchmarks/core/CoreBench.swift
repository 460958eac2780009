// Measures the pure core: the time of an input with two calls and with as many as there may be.

import CallCore
import CallModel
import Glibc

@main
struct CoreBench {
    static let sizes = [2, 64]
    static let rounds = 2_000
    static let turns = 11

    /// Prints one line per number of calls: calls, inputs per second, ns per input, its ratio to the first line's, and
    /// effects per input. Medians of turns that alternate, of processor time. The numbers of calls, of turns and of rounds
    /// can be given.
    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let sizes = numbers.first.map { [$0] } ?? Self.sizes
        let turns = numbers.count > 1 ? numbers[1] : Self.turns
        let workloads = try sizes.map { calls in
            var workload = try Workload(bystanders: calls - 2)
            workload.begin()
            for _ in 0..<(numbers.count > 2 ? numbers[2] : rounds) { try workload.round() }
            return workload
        }
        var times = sizes.map { _ in [Double]() }
        for _ in 0..<turns {
            for (index, workload) in workloads.enumerated() { times[index].append(measure(workload)) }
        }
        for (index, calls) in sizes.enumerated() {
            let time = median(times[index])
            let ratio = median(zip(times[index], times[0]).map { $0 / $1 })
            let effects = Double(workloads[index].effects) / Double(workloads[index].inputs.count)
            print("\(calls) \(Int(1e9 / time)) \(Int(time)) \(hundredths(ratio)) \(hundredths(effects))")
        }
    }

    /// Nanoseconds per input, with nothing else to do than to apply them.
    private static func measure(_ workload: Workload) -> Double {
        var machine = workload.start
        let inputs = workload.inputs
        var effects = 0
        let warmUp = inputs.count / 10
        for (input, moment) in inputs[..<warmUp] { effects += machine.apply(input, at: moment).tell.count }
        let before = processorTime()
        for (input, moment) in inputs[warmUp...] { effects += machine.apply(input, at: moment).tell.count }
        return (processorTime() - before) / Double(inputs.count - warmUp)
    }

    /// What this process has used, in ns: other processes do not count.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func hundredths(_ value: Double) -> Double { Double(Int(value * 100)) / 100 }
}
