// What is heard of calls, by their properties.

import CallClient
import CallModel
import Sound
import Testing

@testable import DesktopAgent

@Suite struct RingPlanTests {
    private func call(
        _ number: UInt64, _ state: CallState, _ direction: CallDirection = .incoming, ring mode: RingMode? = nil
    ) -> PublishedCall {
        var call = PublishedCall(CallID(high: 0, low: number))
        (call.state, call.direction, call.ringMode) = (state, direction, mode)
        return call
    }

    private func ringing(_ number: UInt64, _ mode: RingMode?) -> PublishedCall { call(number, .ringing, ring: mode) }

    @Test func theCallThatRingsAloudGoesFirst() {
        let (loud, waiting) = (ringing(1, .audible), ringing(2, .waiting))
        #expect(RingPlan(for: [waiting, loud]) == .ringtone(loud.path))
        #expect(RingPlan(for: [waiting]) == .callWaiting)
        #expect(RingPlan(for: [ringing(3, .silent), ringing(4, nil)]) == .nothing)
        #expect(RingPlan(for: []) == .nothing)
    }

    @Test func aModeCountsOnlyWhileTheCallRings() {
        #expect(RingPlan(for: [call(1, .answering, ring: .audible)]) == .nothing)
    }

    @Test func ringbackIsForOutgoingCallsThatAlert() {
        var outgoing = call(1, .started, .outgoing)
        outgoing.progress = .alerting
        #expect(RingPlan(for: [outgoing]) == .ringback)
        #expect(RingPlan(for: [outgoing, ringing(2, .waiting)]) == .callWaiting)
        for progress: CallProgress? in [.trying, .earlyMedia, .forwarded, .queued, nil] {
            outgoing.progress = progress
            #expect(RingPlan(for: [outgoing]) == .nothing, "the network plays its own tones")
        }
    }

    private func ended(
        by origin: Origin, _ direction: CallDirection, connected: Bool, detail: EndDetail? = nil
    ) -> PublishedCall {
        var call = call(1, .ended, direction)
        (call.endedBy, call.endDetail, call.connectedAt) = (origin, detail, connected ? 1 : 0)
        return call
    }

    @Test func endsHaveTheirTones() {
        let none: [PublishedCall] = []
        let outgoing = ended(by: .remote, .outgoing, connected: false, detail: .busy)
        #expect(RingPlan.tone(forEndOf: outgoing, others: none) == .busy)
        let failed = ended(by: .provider, .outgoing, connected: false, detail: .network)
        #expect(RingPlan.tone(forEndOf: failed, others: none) == .failed)
        let over = ended(by: .remote, .incoming, connected: true)
        #expect(RingPlan.tone(forEndOf: over, others: none) == .ended)
        #expect(RingPlan.tone(forEndOf: over, others: [over]) == .ended)
    }

    @Test func endsWithoutATone() {
        let mine = ended(by: .user, .outgoing, connected: true)
        #expect(RingPlan.tone(forEndOf: mine, others: []) == nil)
        let missed = ended(by: .remote, .incoming, connected: false)
        #expect(RingPlan.tone(forEndOf: missed, others: []) == nil)
        let over = ended(by: .remote, .incoming, connected: true)
        let other = call(2, .active)
        #expect(RingPlan.tone(forEndOf: over, others: [over, other]) == nil, "another call goes on")
        #expect(RingPlan.tone(forEndOf: over, others: [over, ringing(3, .audible)]) == .ended)
        #expect(RingPlan.tone(forEndOf: other, others: []) == nil)
    }
}
