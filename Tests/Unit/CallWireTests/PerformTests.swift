// A Perform as the host writes it and the provider reads it, in every kind and every place of a transaction.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop
internal import Testing

@Suite @LoopActor struct PerformTests {
    private let call = CallID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

    /// The wire as it arrives.
    private func sent(_ wire: PerformWire) throws -> PerformWire {
        try PerformWire(Message.demarshal(wire.message(at: "/delegate").marshalled()))
    }

    private func actions() throws -> [CallAction] {
        [
            .start(call, StartRequest(try Handle(type: .generic, value: "x"), video: true, contact: "someone")),
            .answer(call), .end(call, reason: ""), .end(call, reason: "busy"), .setHeld(call, true),
            .setMuted(call, false), .setGroup(call, with: nil), .setGroup(call, with: CallID(high: 1, low: 2)),
            .playDTMF(call, digits: "1#", tone: .hardPause),
            .setTranslating(call, true, Languages(local: "en-GB", remote: "sv")), .setTranslating(call, false, .open),
        ]
    }

    @Test func everyKindArrivesAsItWasSent() throws {
        for action in try actions() {
            for id in ["id", CallID(high: 3, low: 4).description] {
                let wire = PerformWire(id: id, action: action, transaction: "transaction", deadline: 7)
                #expect(try sent(wire) == wire)
            }
        }
    }

    @Test func everyPlaceInATransactionArrivesAsItWasSent() throws {
        for part in [ActionPart.first(try actions()), .following(1), .following(.max)] {
            let wire = PerformWire(id: "id", action: .answer(call), transaction: "t", deadline: .max, part: part)
            #expect(try sent(wire) == wire)
        }
    }

    /// What every action carries is an argument of its own; the details are what is particular to the kind.
    @Test func argumentsAreThoseOfTheContract() throws {
        let wire = PerformWire(id: "id", action: .setHeld(call, true), transaction: "t", deadline: 7)
        let message = try wire.message(to: ":1.7", at: "/delegate")
        #expect(message.member == "Perform" && message.interface == "org.opencallkit.ProviderDelegate1")
        #expect(message.destination == ":1.7" && message.path == "/delegate" && message.signature == "ssssta{sv}")
        let (id, kind, uuid, transaction, deadline, details) = try message.read(
            String.self, String.self, String.self, String.self, UInt64.self, VariantDictionary.self)
        #expect(id == "id" && kind == "set-held" && uuid == call.description && transaction == "t" && deadline == 7)
        #expect(details == ["on-hold": .bool(true)])
        #expect(PerformWire(id: "", action: .answer(call), transaction: "", deadline: 0).details.isEmpty)
        #expect(PerformWire(id: "", action: .end(call, reason: ""), transaction: "", deadline: 0).details.isEmpty)
    }

    @Test func otherArgumentsAreRefused() throws {
        for message in [
            try Message.call(at: "/delegate", "a.b", "Perform", "id", "answer", VariantDictionary()),
            try Message.call(at: "/delegate", "a.b", "Perform"),
        ] {
            #expect(throws: CallError.self) { try PerformWire(message) }
        }
    }
}
