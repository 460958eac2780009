// How long a call lasted, whatever the wall clock says.

import CallModel
import EventLoop
import Testing

@testable import callctl

@Suite struct DurationTests {
    /// A call that was connected at second 100 of the clock that does not jump.
    private func call(ended: WallTime = 0) -> PublishedCall {
        var call = PublishedCall(CallID(high: 1, low: 1))
        call.connectedAt = 5_000_000_000
        call.details.connectedAtMonotonic = 100_000_000
        call.details.endedAt = ended
        return call
    }

    private func text(_ call: PublishedCall, atSecond second: UInt64) -> String? {
        call.durationText(at: MonotonicTime(nanoseconds: second * 1_000_000_000))
    }

    @Test func aCallThatGoesOnIsTimedByTheClockThatDoesNotJump() {
        #expect(text(call(), atSecond: 165) == "1:05")
        #expect(text(call(), atSecond: 99) == "0:00")
        #expect(text(PublishedCall(CallID(high: 1, low: 1)), atSecond: 165) == nil)
    }

    @Test func theDatesOfACallThatHasEndedCountAsFarAsTheyArePossible() {
        #expect(text(call(ended: 5_063_000_000), atSecond: 165) == "1:03")
        // The wall clock was set forward, or back, during the call.
        #expect(text(call(ended: 900_000_000_000), atSecond: 165) == "1:05")
        #expect(text(call(ended: 5_000_000_000), atSecond: 165) == "1:00")
    }
}
