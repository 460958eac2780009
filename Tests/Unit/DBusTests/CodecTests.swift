// Values there and back, and what must not travel.

import DBus
import EventLoop
import TestSupport
import Testing

@Suite @LoopActor struct CodecTests {
    private func roundTrip<Value: DBusType & Equatable>(_ value: Value) throws {
        let sent = try Message.signal(from: "/a", "a.b", "C", value)
        let received = try Message.demarshal(sent.marshalled())
        #expect(received.signature == Value.signature)
        #expect(try received.read(Value.self) == value)
        let linked = try Message.demarshal(Message.call(at: "/a", "a.b", "C", value).marshalled())
        #expect(linked.signature == Value.signature)
        #expect(try linked.read(Value.self) == value)
    }

    @Test func basicTypes() throws {
        try roundTrip(true)
        try roundTrip(UInt8.max)
        try roundTrip(Int16.min)
        try roundTrip(UInt16.max)
        try roundTrip(Int32.min)
        try roundTrip(UInt32.max)
        try roundTrip(Int64.min)
        try roundTrip(UInt64.max)
        try roundTrip(-0.5)
        try roundTrip("")
        try roundTrip("Grüße 👋")
        try roundTrip(ObjectPath("/a/b_1"))
        try roundTrip(Signature("a{sv}(ii)"))
    }

    @Test func containers() throws {
        try roundTrip([String]())
        try roundTrip([[UInt8](), [1, 2, 3]])
        try roundTrip(["a": ["b": UInt32(1)], "": [:]])
        try roundTrip(Struct("a", Struct(true, [ObjectPath.root])))
        try roundTrip([Struct(UInt64(1), ["x": "y"])])
        #expect(Struct<String, [String: Variant]>.signature == "(sa{sv})")
    }

    @Test func nestedVariants() throws {
        let details: VariantDictionary = [
            "text": "x", "flag": true, "number": .uint64(7), "bytes": .bytes([1, 2]),
            "list": .array("s", ["a", "b"]), "empty": .array("(sa{sv})", []),
            "pair": .structure(["h", .variant(.variant(.int32(1)))]),
            "inner": .dictionary(key: "s", value: "v", [VariantEntry("k", .variant(.double(1.5)))]),
        ]
        try roundTrip(details)
        try roundTrip(Struct("s", [details, [:]]))
        #expect(Variant(Struct("a", "b")) == .structure(["a", "b"]))
        #expect(Variant(["k": Variant.bool(true)]).signature == "a{sv}")
    }

    @Test func typedAccessToOptions() throws {
        var options: VariantDictionary = ["n": .uint32(5), "h": Variant(Struct("tel", "112")), "l": Variant(["a"])]
        #expect(try options.value("n") == UInt32(5))
        #expect(try options.value("h", as: Struct<String, String>.self) == Struct("tel", "112"))
        #expect(try options.value("l") == ["a"])
        #expect(try options.value("absent", as: String.self) == nil)
        #expect(throws: DBusError(DBusError.Name.invalidArgs, "n: expected type s, found u")) {
            try options.value("n", as: String.self)
        }
        #expect(throws: DBusError(DBusError.Name.invalidArgs, "h: expected type (sb), found (ss)")) {
            try options.value("h", as: Struct<String, Bool>.self)
        }
        #expect(throws: DBusError(DBusError.Name.invalidArgs, "x: expected type b, found nothing")) {
            try options.required("x", as: Bool.self)
        }
        #expect(options["n", default: UInt32(7)] == 5 && options["absent", default: UInt32(7)] == 7)
        #expect(options["n", default: "other type"] == "other type")
        options.set("x", true)
        options.set("y", String?.none)
        options.set("v", Variant.string("s"))
        #expect(options["x"] == true && options["y"] == nil && options["v"] == "s")
    }

    /// What is inside a variant is of exactly the type that is asked for, empty arrays included.
    @Test func valuesInsideVariantsAreOfTheirType() throws {
        let values: [Variant] = [
            Variant([UInt8]()), Variant([String]()), Variant([Int64]()), Variant(["k": Variant.bool(true)]),
            Variant([[true], []]), Variant(Variant("v")), Variant(Struct("a", ["b": UInt16(1)])), Variant(1.5),
        ]
        for value in values {
            func check<Value: DBusType & Equatable>(_ type: Value.Type) throws {
                if value.signature == Value.signature {
                    #expect(Variant(try value.value(as: type)) == value)
                } else {
                    #expect(throws: DBusError.self) { try value.value(as: type) }
                }
            }
            try check([UInt8].self)
            try check([String].self)
            try check([Int64].self)
            try check(VariantDictionary.self)
            try check([[Bool]].self)
            try check(Variant.self)
            try check(Struct<String, [String: UInt16]>.self)
            try check(Double.self)
        }
    }

    @Test func textThatCannotTravelIsAnError() throws {
        for value in [Variant(["a\0"]), Variant(Struct("a\0", true)), Variant(["k": "a\0"])] {
            #expect(throws: DBusError.self) { try Message.signal(from: "/a", "a.b", "C", value) }
        }
        #expect(throws: DBusError.self) { try Message.signal(from: "/a", "a.b", "C", "a\0b") }
        #expect(throws: DBusError.self) { try Message.signal(from: "/a", "a.b", "C", ["k": Variant.string("\0")]) }
        #expect(throws: DBusError.self) { try Message.signal(from: "/a", "a\0.b", "C") }
        #expect(throws: DBusError.self) { try Message.signal(from: "/a", "nodot", "C") }
        #expect(throws: DBusError.self) { try Message.call(to: "not a name", at: "/a", "a.b", "C") }
        #expect(throws: DBusError.self) { try Message.call(to: "a.b", at: "/a", "a.b", "C-D") }
        for text in ["/a/", "a", "/a\0", "", "//", "/a-b"] { #expect(ObjectPath(text) == nil) }
        for element in ["b-c", "b/c", ""] { #expect(ObjectPath.root.appending(element) == nil) }
        for text in ["a{vs}", "z", "(", "a\0"] { #expect(Signature(text) == nil) }
        let call = try Message.call(at: "/a", "a.b", "C")
        let error = try Message.demarshal(call.errorReply(DBusError("no name", "a\0b")).marshalled())
        #expect(error.error == DBusError(DBusError.Name.failed, "a"))
    }

    @Test func inconsistentVariantsAreErrors() {
        for wrong: Variant in [
            .array("s", [.bool(true)]), .array("ss", []), .structure([]), .array("", []),
            .dictionary(key: "v", value: "s", []), .dictionary(key: "s", value: "s", [VariantEntry("a", true)]),
        ] {
            #expect(throws: DBusError.self) { try Message.signal(from: "/a", "a.b", "C", wrong) }
        }
    }

    @Test func depthAndSizeAreLimited() throws {
        var deep = Variant.bool(true)
        for _ in 0..<60 { deep = .variant(deep) }
        #expect(throws: DBusError.self) { try Message.signal(from: "/a", "a.b", "C", deep) }
        let many = try Message.call(at: "/a", "a.b", "C", Array(repeating: Variant.bool(true), count: 100_000))
        let received = try Message.demarshal(many.marshalled())
        #expect(throws: DBusError(DBusError.Name.limitsExceeded, "the message holds more than is accepted")) {
            try received.read([Variant].self)
        }
        #expect(throws: DBusError.self) {
            try Message.signal(from: "/a", "a.b", "C", String(repeating: "x", count: 40 << 20))
        }
    }

    @Test func wrongTypesNameBothSignatures() throws {
        let message = try Message.call(at: "/a", "a.b", "C", "x", true)
        #expect(throws: DBusError(DBusError.Name.invalidArgs, "expected (su), found (sb)")) {
            try message.read(String.self, UInt32.self)
        }
    }

    @Test(arguments: [nil, "a.b"]) func hostileBytesAreErrors(destination: String?) throws {
        let details: VariantDictionary = ["k": .array("s", ["a", "b"]), "d": .double(1)]
        let message = try Message.call(to: destination, at: "/a/b", "a.b", "C", "text", details, [UInt64(1)])
        let good = try message.marshalled()
        #expect(throws: DBusError.self) { try Message.demarshal([]) }
        #expect(throws: DBusError.self) { try Message.demarshal([UInt8](repeating: 0, count: 64)) }
        #expect(throws: DBusError.self) { try Message.demarshal(good + [0]) }
        for length in 0..<good.count {
            #expect(throws: DBusError.self) { try Message.demarshal(Array(good[..<length])) }
        }
        // Each bit flipped: an error, or a message that can be read without harm.
        for index in good.indices {
            for bit in 0..<8 {
                var bytes = good
                bytes[index] ^= 1 << bit
                guard let message = try? Message.demarshal(bytes) else { continue }
                _ = try? message.read(String.self, VariantDictionary.self, [UInt64].self)
                _ = (message.path, message.interface, message.member, message.sender, message.error)
            }
        }
        var generator = SeededGenerator()
        for _ in 0..<2000 {
            var bytes = good
            for _ in 0..<8 {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if let message = try? Message.demarshal(bytes) { _ = try? message.read(VariantDictionary.self) }
        }
    }
}
