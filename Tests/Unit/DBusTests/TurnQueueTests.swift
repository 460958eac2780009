// The order in which waiting messages have their turn.

import EventLoop
import Testing

@testable import DBus

@LoopActor
struct TurnQueueTests {
    private let queue = TurnQueue()

    private func call(_ name: String) throws -> Message { try Message.call(at: "/", "a.b", name) }

    private func add(_ names: String..., of sender: String, bytes: Int = 0) throws {
        for name in names { queue.add(try call(name), of: sender, bytes: bytes) }
    }

    private func rest() -> [String] {
        var names: [String] = []
        while let message = queue.next() { names.append(message.member ?? "answer") }
        return names
    }

    @Test func sendersTakeTurns() throws {
        try add("A1", "A2", "A3", of: ":1.1")
        try add("B1", of: ":1.2")
        try add("C1", "C2", of: ":1.3")
        #expect(rest() == ["A1", "B1", "C1", "A2", "C2", "A3"])
        #expect(queue.isEmpty && queue.next() == nil)
    }

    @Test func whoComesBackWaitsBehindTheOthers() throws {
        try add("A1", "A2", of: ":1.1")
        try add("B1", "B2", of: ":1.2")
        #expect(queue.next()?.member == "A1")
        try add("C1", of: ":1.3")
        #expect(rest() == ["B1", "A2", "C1", "B2"])
    }

    @Test func sendersOfAGroupHaveItsTurns() throws {
        queue.group = { $0.hasPrefix(":2.") ? "many" : $0 }
        try add("A1", "A2", of: ":2.1", bytes: 10)
        try add("B1", of: ":2.2", bytes: 1)
        try add("C1", of: ":2.3")
        try add("D1", "D2", of: ":1.1")
        let waiting = queue.waiting(of: ":2.9")
        #expect((waiting.count, waiting.bytes, waiting.bytesOfAll) == (4, 21, 21))
        #expect(queue.next(ofThoseWithAtMost: 3)?.member == "D1")
        #expect(rest() == ["A1", "D2", "B1", "C1", "A2"])
        #expect(queue.waiting(of: ":2.1").count == 0)
        queue.hold(":2.1")
        try add("A3", of: ":2.1")
        #expect(queue.waiting(of: ":2.2").count == 0)
        queue.release(":2.1")
        #expect(queue.waiting(of: ":2.2").count == 1)
        #expect(rest() == ["A3"])
    }

    @Test func answersComeFirstBehindWhatTheirSenderSaidBefore() throws {
        try add("A1", "A2", of: ":1.1")
        try add("B1", of: ":1.2")
        let asked = try call("Q")
        queue.add(asked.errorReply(DBusError("a.b", "")), of: ":1.2")
        try add("B2", of: ":1.2")
        #expect(queue.nextUpToAnswer()?.member == "B1")
        #expect(queue.nextUpToAnswer()?.kind == .error)
        #expect(queue.nextUpToAnswer() == nil)
        #expect(rest() == ["A1", "B2", "A2"])
    }

    @Test func whatWaitsIsCounted() throws {
        try add("A1", "A2", of: ":1.1", bytes: 100)
        try add("B1", of: ":1.2", bytes: 7)
        let waiting = queue.waiting(of: ":1.1")
        #expect((waiting.count, waiting.bytes, waiting.bytesOfAll) == (2, 200, 207))
        _ = rest()
        #expect(queue.waiting(of: ":1.1").bytesOfAll == 0 && !queue.hasMessages(of: ":1.1"))
    }

    @Test func argumentsAreMeasuredWithoutReadingThem() throws {
        let nested = Variant(Variant(Variant([String](repeating: "text", count: 1_000))))
        let options: VariantDictionary = ["key": nested]
        let message = try Message.call(at: "/", "a.b", "C", "12345", options, [UInt8](repeating: 7, count: 5_000))
        #expect((15_000..<25_000).contains(message.argumentBytes))
        #expect(try Message.call(at: "/", "a.b", "C").argumentBytes == 0)
        #expect(try Message.call(at: "/", "a.b", "C", true, UInt64(7)).argumentBytes == 16)
    }

    @Test func anEnvelopeAnswersInPlaceOfItsCall() throws {
        let sent = try Message.call(at: "/a", "a.b", "C", [UInt8](repeating: 7, count: 5_000))
        let call = try Message.demarshal(sent.marshalled(serial: 42))
        let envelope = try call.envelope()
        #expect(envelope.argumentBytes == 0)
        #expect(envelope.path == "/a" && envelope.member == "C" && envelope.serial == 42 && envelope.expectsReply)
        #expect(try envelope.reply("x").replySerial == 42)
    }

    @Test func whoIsHeldWaitsInOrderAndKeepsNobodyElse() throws {
        try add("A1", of: ":1.1")
        queue.hold(":1.1")
        queue.hold(":1.2")
        try add("A2", of: ":1.1")
        try add("B1", of: ":1.2")
        try add("C1", of: ":1.3")
        let asked = try call("Q")
        queue.add(asked.errorReply(DBusError("a.b", "")), of: ":1.2")
        #expect(queue.nextUpToAnswer() == nil)
        #expect(rest() == ["C1"])
        #expect(queue.count == 4 && queue.waiting(of: ":1.1").count == 2)
        queue.release(":1.2")
        queue.release(":1.1")
        queue.release(":1.4")
        #expect(rest() == ["B1", "A1", "answer", "A2"])
        queue.hold(":1.5")
        queue.release(":1.5")
        try add("E1", of: ":1.5")
        #expect(rest() == ["E1"])
    }
}
