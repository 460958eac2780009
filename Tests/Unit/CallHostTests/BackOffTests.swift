// The pause before a process is started again grows with each failure, and failures are forgotten.

import EventLoop
import Testing

@testable import CallHost

@Suite struct BackOffTests {
    private func moment(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(byMilliseconds: seconds * 1_000)
    }

    @Test func pausesGrowAndTheLastRepeats() {
        var backOff = BackOff(pauses: [0, 250, 30_000])
        #expect((1...4).map { backOff.pause(afterRunFrom: moment($0), to: moment($0)) } == [0, 250, 30_000, 30_000])
        // A run of more than a minute has not failed to start.
        #expect(backOff.pause(afterRunFrom: moment(10), to: moment(71)) == 0)
    }

    @Test func theLimitCountsFailuresWithinAMinute() {
        var backOff = BackOff(pauses: [100, 200], limit: 3)
        #expect(backOff.pause(afterRunFrom: moment(0), to: moment(0)) == 100)
        #expect(backOff.pause(afterRunFrom: moment(0), to: moment(40)) == 200)
        // The first failure was 80 s ago.
        #expect(backOff.pause(afterRunFrom: moment(40), to: moment(80)) == 200)
        #expect(backOff.pause(afterRunFrom: moment(80), to: moment(90)) == nil)
    }

    @Test func resetForgetsAllFailures() {
        var backOff = BackOff(pauses: [100, 200], limit: 2)
        #expect(backOff.pause(afterRunFrom: moment(0), to: moment(1)) == 100)
        backOff.reset()
        #expect(backOff.pause(afterRunFrom: moment(1), to: moment(2)) == 100)
        #expect(backOff.pause(afterRunFrom: moment(2), to: moment(3)) == nil)
    }
}
