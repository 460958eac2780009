// What explain tells: sentences with short ids, names and rules in words.

import CallClient
import DBus
import Testing

@testable import callctl

@Suite struct CallStoryTests {
    private let alice = Sample.path(ofCall: Sample.alice)
    private let bob = Sample.path(ofCall: Sample.bob)

    private func story(_ causes: [VariantDictionary], more: VariantDictionary = [:]) throws -> CallStory {
        let snapshot = Sample.snapshot(
            Sample.provider("Hotline"), Sample.call(Sample.alice, "held", name: "Alice", more: more),
            Sample.call(Sample.bob, "active", name: "Bob"))
        let call = try #require(snapshot.calls.first { $0.path == alice })
        return CallStory(of: call, in: snapshot, causes.map(ToldCause.init))
    }

    private func cause(_ event: String, _ more: VariantDictionary = [:]) -> VariantDictionary {
        let cause: VariantDictionary = ["event": .string(event), "state": "active", "by": "user", "text": "logged"]
        return cause.merging(more) { _, new in new }
    }

    /// The sentence of one cause, without its time.
    private func sentence(_ event: String, _ more: VariantDictionary = [:]) throws -> String {
        String(try #require(try story([cause(event, more)]).short.last).dropFirst(10))
    }

    @Test func aHoldTellsForWhomAndByWhichRule() throws {
        let why: VariantDictionary = [
            "by": "arbiter", "call": .objectPath(bob), "rule": .uint32(6), "program": "callctl", "transaction": "t",
        ]
        let story = try story(
            [
                cause("answer-fulfilled", ["program": "phone"]), cause("hold-requested", why),
                cause("hold-fulfilled", why),
            ],
            more: ["HeldBy": "arbiter", "HeldFor": .objectPath(bob)])
        #expect(
            story.short.map { $0.hasPrefix("1a2b3") ? $0 : String($0.dropFirst(10)) } == [
                "1a2b3c4d (Alice) is held by arbiter for 1a2bffff (Bob)",
                "answered by you, with phone",
                "held to make room for 1a2bffff (Bob), which was answered by you, with callctl: "
                    + "a call that is answered holds the one that talks",
            ])
        #expect(story.whole.count == 7 && story.whole[2] == "  logged")
    }

    @Test(
        arguments: [
            ("reported", [:], "Hotline told that it comes in"),
            ("reported", ["state": "ended", "end-reason": "remote-ended"], "the far side hung up"),
            ("answer-fulfilled", ["program": "gnome-calls"], "answered by you, with gnome-calls"),
            ("answer-fulfilled", [:], "answered by a program"),
            ("hold-fulfilled", ["provider": "/org/opencallkit/CallSystem1/providers/Hotline"], "held by Hotline"),
            ("held-by-network", ["by": "provider", "rule": "13"], "held by its network, as Hotline tells"),
            (
                "resume-fulfilled", ["by": "arbiter", "rule": "10"],
                "resumed by itself: the call that was held last comes back when you end the other one"
            ),
            ("hold-requested", ["program": "x"], "is to be held by you, with x; Hotline is asked"),
            (
                "hold-timed-out", ["state": "ended", "by": "deadline", "rule": "17"],
                "Hotline did not hold it in time, so the call is lost: a provider that does not answer in time is not waited for"
            ),
            (
                "provider-died", ["by": "provider", "rule": "18"],
                "Hotline crashed: the calls of a provider end with it"
            ),
            ("end-fulfilled", ["by": "system"], "ended as the call system shuts down"),
            (
                "not-started", ["by": "arbiter", "detail": "call 1a2bffff-0000-4000-8000-000000000002 cannot be held"],
                "not started, call 1a2bffff cannot be held"
            ),
            ("an-event-of-the-future", [:], "logged"),
        ] as [(String, [String: String], String)])
    func everyCauseIsASentence(event: String, keys: [String: String], expected: String) throws {
        var more: VariantDictionary = [:]
        for (key, text) in keys {
            more[key] =
                key == "provider"
                ? ObjectPath(text).map { .objectPath($0) } : UInt32(text).map { .uint32($0) } ?? .string(text)
        }
        #expect(try sentence(event, more) == expected)
    }
}
