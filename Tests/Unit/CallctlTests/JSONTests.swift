// JSON out of D-Bus values.

import DBus
import Testing

@testable import callctl

@Suite struct JSONTests {
    @Test func textIsEscaped() {
        #expect(JSON.string("a\"b\\c\n\t\u{1B}\u{7F}\u{202E}é👍").text == #""a\"b\\c\n\t\u001b\u007f\u202eé👍""#)
    }

    @Test func numbersKeepTheirRange() {
        let values: [Variant] = [
            .uint64(.max), .int64(.min), .byte(255), .double(0.5), .double(.nan), .double(-.infinity), .bool(false),
        ]
        #expect(
            JSON.array(values.map { JSON($0) }).text
                == "[18446744073709551615,-9223372036854775808,255,0.5,null,null,false]")
    }

    @Test func containers() {
        let value: VariantDictionary = [
            "b": Variant(Struct("phone-number", "555")), "a": Variant(["x", "y"]),
            "c": Variant(["k": Variant(UInt32(1))]), "d": .objectPath("/a"), "e": .variant(.string("in")),
            "f": .bytes([1, 2]),
        ]
        #expect(
            JSON(value).text
                == #"{"a":["x","y"],"b":["phone-number","555"],"c":{"k":1},"d":"/a","e":"in","f":[1,2]}"#)
    }

    @Test func plainText() {
        let value = Variant(["k": Variant(Struct("a", true))])
        #expect(value.plainText == "{k=(a, true)}")
        #expect(Variant(["x", "y"]).plainText == "x, y")
    }
}
