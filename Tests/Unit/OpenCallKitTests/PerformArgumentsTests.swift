// A Perform as it is written by the host and read by the provider, in every kind, and what is refused.

import CallModel
import DBus
import EventLoop
import CallWire
import TestSupport
import Testing

@Suite @LoopActor struct PerformArgumentsTests {
    private static let call = CallID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

    /// The wire as it arrives.
    private func sent(_ wire: PerformWire) throws -> PerformWire {
        let template = try MessageTemplate(at: "/d", "a.b", "Perform")
        let message = try template.call { (writer) throws(DBusError) in try wire.write(to: &writer) }
        let (id, kind, details) = try Message.demarshal(message.marshalled()).read(
            String.self, String.self, DetailList.self)
        let (again, _, args) = try message.read(String.self, String.self, VariantDictionary.self)
        #expect(try PerformWire(id: again, kind: kind, args: args) == wire)
        return try PerformWire(PerformArguments(id: id, kind: kind, details: details))
    }

    @Test func everyKindArrivesAsItWasSent() throws {
        let call = Self.call
        let actions: [CallAction] = [
            .start(call, StartRequest(try Handle(type: .generic, value: "x"), video: true, contact: "someone")),
            .answer(call), .end(call, reason: ""), .end(call, reason: "busy"), .setHeld(call, true),
            .setMuted(call, false), .setGroup(call, with: nil), .setGroup(call, with: CallID(high: 1, low: 2)),
            .playDTMF(call, digits: "1#", tone: .hardPause),
            .setTranslating(call, true, Languages(local: "en-GB", remote: "sv")), .setTranslating(call, false, .open),
        ]
        for action in actions {
            let wire = PerformWire(id: "id", action: action, transaction: "transaction", deadline: 7)
            #expect(try sent(wire) == wire)
        }
    }

    @Test func whatIsNotPlainIsReadAsBefore() throws {
        let plain: [(key: String, value: Variant)] = [
            ("call-uuid", .string(Self.call.description)), ("deadline", .uint64(7)), ("transaction", "t"),
        ]
        let expected = PerformWire(id: "", action: .answer(Self.call), transaction: "t", deadline: 7)
        func read(_ entries: [(key: String, value: Variant)], kind: String = "answer") throws -> PerformWire {
            try PerformWire(PerformArguments(id: "", kind: kind, details: DetailList(entries)))
        }
        #expect(try read(plain) == expected)
        #expect(try read(plain.reversed() + [("unknown", true)]) == expected)
        #expect(try read([("deadline", .uint64(1))] + plain) == expected)
        #expect(throws: CallError.self) { try read(plain.dropLast()) }
        #expect(throws: CallError.self) { try read(plain.dropFirst() + [("call-uuid", "no uuid")]) }
        #expect(throws: CallError.self) { try read(plain + [("deadline", .int32(1))]) }
        #expect(throws: CallError.self) { try read(plain, kind: "dance") }
    }
}
