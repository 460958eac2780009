// Measures the pure core: the time of an input with two calls and with as many as there may be.

import CallCore
import CallModel
import Glibc

@main
struct CoreBench {
    static let sizes = [2, 64]
    static let rounds = 2_000

    /// Prints one line per number of calls: calls, and ns of processor time per input.
    static func main() throws {
        for calls in sizes {
            var workload = try Workload(bystanders: calls - 2)
            workload.begin()
            for _ in 0..<rounds { try workload.round() }
            print(calls, measure(workload))
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
}
