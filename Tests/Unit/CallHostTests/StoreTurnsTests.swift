// Clients take turns at the store.

import CallModel
import EventLoop
import Testing

@testable import CallHost

@LoopActor
struct StoreTurnsTests {
    private let turns = StoreTurns()

    /// What was asked, in order, and how to answer it.
    @LoopActor private final class Asked {
        var names: [String] = []
        var answers: [@LoopActor () -> Void] = []
    }

    private let asked = Asked()

    private func add(_ names: String..., of client: String, bytes: Int = 0) throws(CallError) {
        for name in names {
            try turns.add(of: client, bytes: bytes) { [asked] done in
                asked.names.append(name)
                asked.answers.append(done)
            }
        }
    }

    private func answerFirst() { asked.answers.removeFirst()() }

    /// Answers what is asked until `count` questions were asked: a client rests between its questions.
    private func answer(until count: Int) async {
        while asked.names.count < count {
            if asked.answers.isEmpty { await LoopTimer.pause(for: .milliseconds(1)) } else { answerFirst() }
        }
    }

    @Test func aClientHasOneQuestionInTheStore() async throws {
        try add("A1", "A2", "A3", of: ":1.1")
        try add("B1", "B2", of: ":1.2")
        try add("C1", of: ":1.3")
        #expect(asked.names == ["A1", "B1"])
        answerFirst()
        #expect(asked.names == ["A1", "B1", "C1"])
        answerFirst()
        // Whoever has more to ask rests first.
        #expect(asked.names == ["A1", "B1", "C1"])
        await answer(until: 6)
        #expect(Set(asked.names[3...4]) == ["A2", "B2"] && asked.names.last == "A3")
    }

    @Test func aClientRestsAsLongAsItsQuestionTook() async throws {
        try add("A1", "A2", of: ":1.1")
        let start = MonotonicTime.now
        await LoopTimer.pause(for: .milliseconds(20))
        answerFirst()
        let took = MonotonicTime.now.duration(since: start)
        await answer(until: 2)
        #expect(MonotonicTime.now.duration(since: start) >= took + .milliseconds(20))
    }

    @Test func answersThatComeAtOnceLeaveTheirPlaces() throws {
        for number in 0..<1_000 {
            try turns.add(of: ":1.\(number % 3)") { [asked] done in
                asked.names.append("\(number)")
                done()
            }
        }
        #expect(asked.names == (0..<1_000).map(String.init))
    }

    @Test func aClientFillsItsOwnShare() throws {
        for number in 0..<128 { try add("A\(number)", of: ":1.1") }
        #expect {
            try add("A128", of: ":1.1")
        } throws: { error in
            (error as? CallError)?.message.contains("expected at most 128 requests") == true
        }
        try add("B1", of: ":1.2")
        answerFirst()
        try add("A128", of: ":1.1")
        #expect(throws: CallError.self) { try add("A129", of: ":1.1") }
    }

    @Test func bytesAreAShareToo() throws {
        for number in 0..<6 { try add("A\(number)", of: ":1.1", bytes: 64 << 10) }
        #expect(throws: CallError.self) { try add("A6", of: ":1.1", bytes: 1) }
        for client in 2..<40 { for number in 0..<5 { try? add("\(number)", of: ":1.\(client)", bytes: 64 << 10) } }
        try add("new", of: ":2.1", bytes: 64 << 10)
        #expect(throws: CallError.self) { try add("another", of: ":2.1") }
    }

    @Test func whatTakesLongDoesNotKeepOthersWaiting() async throws {
        try add("slow", "A", of: ":1.1")
        try add("slow too", "B", of: ":1.2")
        try add("C", of: ":1.3")
        #expect(asked.names == ["slow", "slow too"])
        while asked.names.count < 3 { await LoopTimer.pause(for: .milliseconds(5)) }
        #expect(asked.names == ["slow", "slow too", "C"])
        await answer(until: 5)
        #expect(Set(asked.names[3...]) == ["A", "B"])
    }

    @Test func whatIsNotAwaitedCountsAllTheSame() throws {
        for number in 0..<127 {
            try turns.add(of: ":1.1", isAwaited: false) { [asked] done in
                asked.names.append("load \(number)")
                asked.answers.append(done)
            }
        }
        #expect(asked.names.count == 127)
        try add("A", of: ":1.1")
        #expect(asked.names.last == "A")
        #expect(throws: CallError.self) { try add("B", of: ":1.1") }
        answerFirst()
        try add("B", of: ":1.1")
        #expect(asked.names.last == "A")
        #expect(throws: CallError.self) { try add("C", of: ":1.1") }
    }
}
