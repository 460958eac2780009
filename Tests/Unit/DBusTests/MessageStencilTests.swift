// Messages that are filled in rather than made, and recognized rather than parsed.

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import DBus

@Suite @LoopActor struct MessageStencilTests {
    private static let texts = ["aaaaaaaa-1", "bbbbbbbb-2"]
    private static let number: UInt64 = 0x0102_0304_0506_0708

    private func call(_ first: String, _ second: String, _ number: UInt64) throws -> Message {
        try Message.call(
            at: "/lamp", "org.example.Lamp1", "Set", first, ["by": Variant.string(second), "at": .uint64(number)])
    }

    private func stencil() throws -> MessageStencil {
        let message = try call(Self.texts[0], Self.texts[1], Self.number)
        return try MessageStencil(message, texts: Self.texts, numbers: [Self.number])
    }

    @Test func whatIsFilledInIsWhatWouldBeMade() throws {
        let stencil = try stencil()
        #expect(stencil.replaceText(0, with: "cccccccc-3") && stencil.replaceText(1, with: "dddddddd-4"))
        stencil.replaceNumber(0, with: 42)
        let bytes = Array(stencil.filled(serial: 7, answering: 0))
        let message = try Message.demarshal(bytes)
        #expect(message.serial == 7 && message.member == "Set" && message.path == "/lamp")
        let (text, details) = try message.read(String.self, VariantDictionary.self)
        #expect(text == "cccccccc-3" && details == ["by": .string("dddddddd-4"), "at": .uint64(42)])
    }

    @Test func whatDoesNotFitIsNotFilledIn() throws {
        let stencil = try stencil()
        for text in ["", "cccccccc-33", "ccccccc\0-3", "ccccccc\u{e9}-"] {
            #expect(!stencil.replaceText(0, with: text))
        }
        let message = try Message.demarshal(Array(stencil.filled(serial: 1, answering: 0)))
        #expect(try message.read(String.self, VariantDictionary.self).0 == Self.texts[0])
    }

    @Test func aValueMustOccurOnce() throws {
        let message = try call("aaaaaaaa-1", "aaaaaaaa-1", 1)
        for texts in [["aaaaaaaa-1"], ["nowhere"], [""]] {
            #expect(throws: DBusError.self) { try MessageStencil(message, texts: texts) }
        }
    }

    @Test func onlyTheSameWithOtherValuesIsRecognized() throws {
        let stencil = try stencil()
        let other = try call("cccccccc-3", "dddddddd-4", 43)
        let packet = try other.withMarshalled(serial: 9) { Array($0) }
        let values = try #require(packet.withUnsafeBytes { stencil.values(in: $0) })
        #expect([values.text(0), values.text(1)] == ["cccccccc-3", "dddddddd-4"])
        #expect(values.number(0) == 43 && values.serial == 9 && values.uuid(0) == nil)
        #expect((packet + [0]).withUnsafeBytes { stencil.values(in: $0) } == nil)
        #expect(packet.dropLast().withUnsafeBytes { stencil.values(in: $0) } == nil)
    }

    /// Whatever a hostile peer changes, what is recognized is a message that libdbus reads in the same way.
    @Test func whatIsRecognizedIsAMessage() throws {
        let stencil = try stencil()
        let packet = try call("cccccccc-3", "dddddddd-4", 43).withMarshalled(serial: 9) { Array($0) }
        var recognized = 0
        for position in packet.indices {
            for byte: UInt8 in [0, 1, 2, 0x20, 0x7F, 0x80, 0xC3, 0xFF] where packet[position] != byte {
                var changed = packet
                changed[position] = byte
                guard let values = changed.withUnsafeBytes({ stencil.values(in: $0) }) else { continue }
                recognized += 1
                let message = try Message.demarshal(changed)
                let (text, details) = try message.read(String.self, VariantDictionary.self)
                #expect(values.text(0) == text && details["by"] == .string(values.text(1)))
                #expect(details["at"] == .uint64(values.number(0)) && message.serial == values.serial)
            }
        }
        // The texts, the number and the serial may differ, and nothing else.
        #expect(recognized > 0 && recognized <= 8 * (10 + 10 + 8 + 4))
    }
}
