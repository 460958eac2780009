// For how long the loop did not look at what arrives.

import Testing

@testable import EventLoop

struct LoopLagTests {
    private func moment(_ milliseconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: (3_600_000 + milliseconds) * 1_000_000)
    }

    @Test func theLongestTurnCounts() {
        var lag = LoopLag()
        lag.waits(at: moment(0))
        for (woke, waited) in [(10, 12), (20, 320), (400, 401)] as [(UInt64, UInt64)] {
            lag.wakes(at: moment(woke))
            lag.waits(at: moment(waited))
        }
        #expect(lag.lag(at: moment(500)) == .milliseconds(300))
        #expect(lag.lag(at: moment(60_500)) == .milliseconds(300))
        #expect(lag.lag(at: moment(120_500)) == .milliseconds(0))
    }

    @Test func aSleepIsNoTurn() {
        var lag = LoopLag()
        lag.wakes(at: moment(0))
        lag.waits(at: moment(5))
        lag.wakes(at: moment(50_000))
        lag.waits(at: moment(50_001))
        #expect(lag.lag(at: moment(50_002)) == .milliseconds(5))
    }
}
