// Measures the pure core: the time of an input with few and with very many calls.

import CallCore
import CallModel
import Glibc

@main
struct CoreBench {
    static let sizes = [2, 100, 10_000]
    static let rounds = 2_000
    static let turns = 11

    /// Prints one line per number of calls: calls, inputs per second, ns per input, its ratio to the first line's, and
    /// effects per input; then, of the last number of calls, how many of them ring, and ns per call when a change is one
    /// for all of these. Medians of turns that alternate, of processor time. The numbers of calls, of turns and of rounds
    /// can be given.
    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let sizes = numbers.first.map { [$0] } ?? Self.sizes
        let turns = numbers.count > 1 ? numbers[1] : Self.turns
        let courses = try sizes.map { calls in
            var course = try Course(bystanders: calls - 2)
            course.begin()
            for _ in 0..<(numbers.count > 2 ? numbers[2] : rounds) { try course.round() }
            return course
        }
        var times = sizes.map { _ in [Double]() }
        for _ in 0..<turns {
            for (index, course) in courses.enumerated() { times[index].append(measure(course)) }
        }
        for (index, calls) in sizes.enumerated() {
            let time = median(times[index])
            let ratio = median(zip(times[index], times[0]).map { $0 / $1 })
            let effects = Double(courses[index].effects) / Double(courses[index].inputs.count)
            print("\(calls) \(Int(1e9 / time)) \(Int(time)) \(hundredths(ratio)) \(hundredths(effects))")
        }
        guard let calls = sizes.last, numbers.count < 2 else { return }
        var course = try Course(bystanders: calls - 2, haveRoom: true)
        course.begin()
        for _ in 0..<50 { course.ripple() }
        let ringing = course.machine.calls.values.count { $0.state == .ringing }
        let time = median((0..<turns).map { _ in measure(course) })
        if ringing > 0 { print("\(ringing) \(Int(time / Double(ringing)))") }
    }

    /// Nanoseconds per input, with nothing else to do than to apply them.
    private static func measure(_ course: Course) -> Double {
        var machine = course.start
        let inputs = course.inputs.span
        var effects = 0
        // The first changes copy what the two machines share.
        let warmUp = inputs.count / 10
        for index in 0..<warmUp { effects += machine.apply(inputs[index].input, at: inputs[index].at).underestimatedCount }
        let before = processorTime()
        for index in warmUp..<inputs.count {
            effects += machine.apply(inputs[index].input, at: inputs[index].at).underestimatedCount
        }
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
