// The layout made here against libdbus's: the same bytes, the same verdicts, the same values.

import EventLoop
import Testing

@testable import DBus

@Suite @LoopActor struct WireTests {
    private func library(_ bytes: [UInt8]) throws(DBusError) -> Message {
        try bytes.span.withUnsafeBytes { (bytes) throws(DBusError) in try Message.libraryMessage(bytes) }
    }

    private func wire(_ bytes: [UInt8]) -> WireMessage? {
        bytes.withUnsafeBytes { WireMessage(packet: $0) }
    }

    /// The values of a message, whatever they are.
    private func values(of message: Message) throws -> [Variant] {
        try message.read { reader throws(DBusError) in
            var values: [Variant] = []
            while reader.type != 0 { values.append(try Variant(at: &reader)) }
            return values
        }
    }

    @Test func bodiesAreThoseOfLibdbus() throws {
        var random = RandomVariants(seed: 1)
        for _ in 0..<500 {
            let (first, second, third) = (random.variant(depth: 3), random.details(depth: 2), random.variant(depth: 1))
            let own = try Message.call(at: "/a/b", "a.b", "C", first, second, third, UInt8(1))
            let theirs = try Message.call(to: "x.y", at: "/a/b", "a.b", "C", first, second, third, UInt8(1))
            #expect(own.raw == nil && theirs.raw != nil)
            #expect(own.signature == theirs.signature)
            let body = Array(own.wire.body.buffer)
            #expect(Array(try theirs.marshalled().suffix(body.count)) == body)
            let packet = try own.marshalled()
            let received = try #require(wire(packet))
            #expect(try values(of: Message(received)) == values(of: theirs))
            #expect(try values(of: library(packet)) == values(of: theirs))
            let read = try Message(received).read(Variant.self, VariantDictionary.self, Variant.self, UInt8.self)
            #expect(read.0 == first && read.1 == second && read.2 == third && read.3 == 1)
        }
    }

    @Test func headersAreUnderstoodByLibdbus() throws {
        let call = try Message.call(at: "/a/b", "a.b", "Member", "x")
        call.expectsReply = false
        call.autoStart = false
        let their = try library(call.marshalled())
        #expect(their.kind == .call && their.path == "/a/b" && their.interface == "a.b" && their.member == "Member")
        #expect(!their.expectsReply && !their.autoStart && their.serial == 1 && their.signature == "s")
        let reply = try library(Message(WireMessage(replyTo: 7)).marshalled())
        #expect(reply.kind == .reply && reply.replySerial == 7 && reply.signature == "")
        let error = try library(call.errorReply(DBusError("a.b.C", "text")).marshalled())
        #expect(error.error == DBusError("a.b.C", "text") && error.replySerial == 1)
        let forBus = try call.forBus()
        #expect(forBus.raw != nil && forBus.serial == 0 && forBus.path == "/a/b" && !forBus.expectsReply)
    }

    @Test func namesAreJudgedAsByLibdbus() throws {
        var random = RandomVariants(seed: 2)
        let alphabet = ["a", "Z", "_", "0", "9", ".", "/", "-", "é", "{", "@", "[", "`", "b", "c"]
        for _ in 0..<3_000 {
            let text = (0..<random.number(1...7)).map { _ in alphabet[random.number(0...alphabet.count - 1)] }.joined()
            func accepts(path: String = "/a", interface: String = "a.b", member: String = "C") -> Bool {
                let laidOut = WireMessage(path: path, interface: interface, member: member).packet(serial: 1)
                let packet = withExtendedLifetime(laidOut) { Array(laidOut.buffer) }
                let verdict = (try? library(packet)) != nil
                #expect((wire(packet) != nil) == verdict)
                return verdict
            }
            #expect(accepts(path: "/" + text) == (ObjectPath("/" + text) != nil))
            #expect(accepts(interface: text) == InterfaceName.isValid(text))
            #expect(accepts(member: text) == MemberName.isValid(text))
        }
        let long = String(repeating: "a", count: 256)
        #expect(!MemberName.isValid(long) && MemberName.isValid(String(long.dropLast())))
        #expect(!InterfaceName.isValid("a." + long.dropLast(2)) && InterfaceName.isValid("a." + long.dropLast(3)))
    }

    @Test func whatIsTakenLibdbusWouldTake() throws {
        var random = RandomVariants(seed: 3)
        var (taken, refused) = (0, 0)
        for _ in 0..<200 {
            let message = try Message.call(
                at: "/a/b", "a.b", "C", random.details(depth: 2), "text", random.variant(depth: 3))
            let good = try message.marshalled()
            for _ in 0..<100 {
                var bytes = good
                for _ in 0..<random.number(1...3) {
                    let index = random.number(0...bytes.count - 1)
                    bytes[index] = random.number(0...1) == 0 ? UInt8(random.number(0...255)) : bytes[index] ^ 1
                }
                if random.number(0...9) == 0 { bytes.removeLast(random.number(1...8)) }
                guard let own = wire(bytes) else {
                    refused += 1
                    continue
                }
                taken += 1
                let theirs = try library(bytes)
                #expect(Message(own).signature == theirs.signature)
                let (mine, other) = (try? values(of: Message(own)), try? values(of: theirs))
                #expect(mine.map { "\($0)" } == other.map { "\($0)" })
            }
        }
        #expect(taken > 1_000 && refused > 1_000)
    }

    @Test func aValueThatFailsLeavesTheMessageAsItWas() throws {
        let message = try Message.call(at: "/a", "a.b", "C", "x")
        #expect(throws: DBusError.self) { try message.append("y", ["a\0b"]) }
        #expect(try message.read(String.self) == "x")
        try message.append(UInt32(5))
        let (text, number) = try message.read(String.self, UInt32.self)
        #expect(text == "x" && number == 5)
    }

    @Test func partlyReadContainersArePassed() throws {
        let message = try Message.call(
            at: "/a", "a.b", "C", [Struct("a", UInt64(1)), Struct("b", 2)], Struct("x", [UInt8(1)]), "end")
        let received = Message(try #require(wire(message.marshalled())))
        let end = try received.read { reader throws(DBusError) in
            try reader.container(97) { reader throws(DBusError) in
                _ = try reader.container(114) { reader throws(DBusError) in try reader.read(String.self) }
            }
            try reader.container(114) { _ throws(DBusError) in }
            return try reader.read(String.self)
        }
        #expect(end == "end")
    }
}

/// Values of all types, the same in every run.
private struct RandomVariants: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func text() -> String {
        let letters = ["a", "Z", "0", " ", "é", "漢", "🙂", "/"]
        return (0..<number(0...9)).map { _ in letters[number(0...letters.count - 1)] }.joined()
    }

    mutating func details(depth: Int) -> VariantDictionary {
        var details: VariantDictionary = [:]
        for _ in 0..<number(0...4) { details[text()] = variant(depth: depth) }
        return details
    }

    mutating func variant(depth: Int) -> Variant {
        switch number(0...(depth > 0 ? 16 : 12)) {
        case 0: .bool(number(0...1) == 1)
        case 1: .byte(UInt8(number(0...255)))
        case 2: .int16(Int16(truncatingIfNeeded: next()))
        case 3: .uint16(UInt16(truncatingIfNeeded: next()))
        case 4: .int32(Int32(truncatingIfNeeded: next()))
        case 5: .uint32(UInt32(truncatingIfNeeded: next()))
        case 6: .int64(Int64(truncatingIfNeeded: next()))
        case 7: .uint64(next())
        case 8: .double(Double(number(-1_000...1_000)) / 8)
        case 9: .string(text())
        case 10: .objectPath("/a/b_1")
        case 11: .signature("a{sv}(ii)")
        case 12: .bytes((0..<number(0...9)).map { UInt8($0) })
        case 13: list(of: variant(depth: depth - 1))
        case 14: .structure((0...number(0...3)).map { _ in variant(depth: depth - 1) })
        case 15: .variant(variant(depth: depth - 1))
        default: dictionary(of: variant(depth: depth - 1))
        }
    }

    private mutating func list(of value: Variant) -> Variant {
        // An array of bytes has a case of its own.
        guard let element = Signature(value.signature), element != "y" else { return .bytes([7]) }
        return .array(element, Array(repeating: value, count: number(0...3)))
    }

    private mutating func dictionary(of value: Variant) -> Variant {
        guard let type = Signature(value.signature) else { return .bool(true) }
        let entries = (0..<number(0...3)).map { VariantEntry(.string("k\($0)"), value) }
        return .dictionary(key: "s", value: type, entries)
    }
}
