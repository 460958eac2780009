// What is heard of calls, by their properties.

import CallClient
import DBus
import EventLoop
import Sound
import Testing

@testable import DesktopAgent

@Suite struct RingPlanTests {
    private func call(_ name: String, _ properties: VariantDictionary) throws -> Record {
        Record(try #require(ObjectPath("/calls/\(name)")), properties)
    }

    private func ringing(_ name: String, _ mode: String) throws -> Record {
        try call(name, ["State": "ringing", "Direction": "incoming", "RingMode": .string(mode)])
    }

    @Test func theCallThatRingsAloudGoesFirst() throws {
        let (loud, waiting) = (try ringing("a", "audible"), try ringing("b", "waiting"))
        #expect(RingPlan(for: [waiting, loud]) == .ringtone(loud.path))
        #expect(RingPlan(for: [waiting]) == .callWaiting)
        #expect(RingPlan(for: [try ringing("c", "silent"), try ringing("d", "")]) == .nothing)
        #expect(RingPlan(for: []) == .nothing)
    }

    @Test func aModeCountsOnlyWhileTheCallRings() throws {
        let answered = try call("a", ["State": "answering", "RingMode": "audible"])
        #expect(RingPlan(for: [answered]) == .nothing)
    }

    @Test func ringbackIsForOutgoingCallsThatAlert() throws {
        let outgoing = try call("a", ["State": "dialing", "Direction": "outgoing", "Progress": "alerting"])
        #expect(RingPlan(for: [outgoing]) == .ringback)
        #expect(RingPlan(for: [outgoing, try ringing("b", "waiting")]) == .callWaiting)
        for progress: Variant in ["trying", "early-media", "forwarded", "queued", ""] {
            var other = outgoing
            other.properties["Progress"] = progress
            #expect(RingPlan(for: [other]) == .nothing, "the network plays its own tones")
        }
    }

    private func ended(by origin: String, outgoing: Bool, connected: Bool, detail: String = "") throws -> Record {
        try call(
            "ended",
            [
                "State": "ended", "EndedBy": .string(origin), "Direction": outgoing ? "outgoing" : "incoming",
                "EndDetail": .string(detail), "ConnectedAt": .uint64(connected ? 1 : 0),
            ])
    }

    @Test func endsHaveTheirTones() throws {
        let none: [Record] = []
        let outgoing = try ended(by: "remote", outgoing: true, connected: false, detail: "busy")
        #expect(RingPlan.tone(forEndOf: outgoing, others: none) == .busy)
        let failed = try ended(by: "provider", outgoing: true, connected: false, detail: "network")
        #expect(RingPlan.tone(forEndOf: failed, others: none) == .failed)
        let over = try ended(by: "remote", outgoing: false, connected: true)
        #expect(RingPlan.tone(forEndOf: over, others: none) == .ended)
        #expect(RingPlan.tone(forEndOf: over, others: [over]) == .ended)
    }

    @Test func endsWithoutATone() throws {
        let mine = try ended(by: "user", outgoing: true, connected: true)
        #expect(RingPlan.tone(forEndOf: mine, others: []) == nil)
        let missed = try ended(by: "remote", outgoing: false, connected: false)
        #expect(RingPlan.tone(forEndOf: missed, others: []) == nil)
        let over = try ended(by: "remote", outgoing: false, connected: true)
        let other = try call("other", ["State": "active"])
        #expect(RingPlan.tone(forEndOf: over, others: [over, other]) == nil, "another call goes on")
        #expect(RingPlan.tone(forEndOf: over, others: [over, try ringing("b", "audible")]) == .ended)
        #expect(RingPlan.tone(forEndOf: other, others: []) == nil)
    }
}
