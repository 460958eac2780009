// What a worker may take, over time.

import EventLoop
import Files
import Testing

@testable import CallHost

@Suite struct WorkerBoundsTests {
    private static func use(processor: UInt64 = 0, memory: UInt64 = 0, files: UInt64 = 0) -> ProcessUse {
        ProcessUse(processorTime: .milliseconds(processor), memory: memory, namelessFiles: files)
    }

    private static func moment(_ seconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func memoryAndFilesWithoutANameCountTogether() {
        var bounds = WorkerBounds()
        #expect(
            bounds.exceeded(by: Self.use(memory: 300 << 20, files: 200 << 20), at: Self.moment(0), hasCalls: true)
                == nil)
        let reason = bounds.exceeded(
            by: Self.use(memory: 300 << 20, files: 300 << 20), at: Self.moment(1), hasCalls: true)
        #expect(reason == "takes 600 MiB of memory, at most 512 MiB are allowed")
    }

    @Test func twoBusyPeriodsWithoutACallAreTooMany() {
        var bounds = WorkerBounds()
        #expect(bounds.exceeded(by: Self.use(processor: 0), at: Self.moment(0), hasCalls: false) == nil)
        #expect(bounds.exceeded(by: Self.use(processor: 30_000), at: Self.moment(30), hasCalls: false) == nil)
        let reason = bounds.exceeded(by: Self.use(processor: 60_000), at: Self.moment(60), hasCalls: false)
        #expect(reason == "has no call and takes 100 % of a processor all the time, at most 75 % are allowed")
    }

    @Test func aQuietPeriodOrACallBeginsAnew() {
        var bounds = WorkerBounds()
        // Busy, quiet, busy, in a call, busy.
        let looks: [(processor: UInt64, hasCalls: Bool)] = [
            (0, false), (30_000, false), (31_000, false), (61_000, false), (91_000, true), (121_000, false),
        ]
        for (index, look) in looks.enumerated() {
            let use = Self.use(processor: look.processor)
            #expect(bounds.exceeded(by: use, at: Self.moment(UInt64(index) * 30), hasCalls: look.hasCalls) == nil)
        }
    }

    @Test func aCallMayTakeAllProcessors() {
        var bounds = WorkerBounds()
        for index in 0..<10 as Range<UInt64> {
            let use = Self.use(processor: index * 120_000)
            #expect(bounds.exceeded(by: use, at: Self.moment(index * 30), hasCalls: true) == nil)
        }
    }
}
