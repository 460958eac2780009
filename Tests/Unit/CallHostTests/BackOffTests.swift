// The pause before a process is started again grows with each failure, and failures are forgotten.

import EventLoop
import Testing

@testable import CallHost

@Suite struct BackOffTests {
    private func moment(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(by: .seconds(seconds))
    }

    @Test func pausesGrowAndTheLastRepeats() {
        var backOff = BackOff(pauses: [.zero, .milliseconds(250), .seconds(30)])
        #expect(
            (1...4).map { backOff.pause(afterRunFrom: moment($0), to: moment($0)) } == [
                .zero, .milliseconds(250), .seconds(30), .seconds(30),
            ])
        // A run of more than a minute has not failed to start.
        #expect(backOff.pause(afterRunFrom: moment(10), to: moment(71)) == .zero)
    }

    @Test func theLimitCountsFailuresWithinAMinute() {
        var backOff = BackOff(pauses: [.milliseconds(100), .milliseconds(200)], limit: 3)
        #expect(backOff.pause(afterRunFrom: moment(0), to: moment(0)) == .milliseconds(100))
        #expect(backOff.pause(afterRunFrom: moment(0), to: moment(40)) == .milliseconds(200))
        // The first failure was 80 s ago.
        #expect(backOff.pause(afterRunFrom: moment(40), to: moment(80)) == .milliseconds(200))
        #expect(backOff.pause(afterRunFrom: moment(80), to: moment(90)) == nil)
    }

    @Test func resetForgetsAllFailures() {
        var backOff = BackOff(pauses: [.milliseconds(100), .milliseconds(200)], limit: 2)
        #expect(backOff.pause(afterRunFrom: moment(0), to: moment(1)) == .milliseconds(100))
        backOff.reset()
        #expect(backOff.pause(afterRunFrom: moment(1), to: moment(2)) == .milliseconds(100))
        #expect(backOff.pause(afterRunFrom: moment(2), to: moment(3)) == nil)
    }
}
