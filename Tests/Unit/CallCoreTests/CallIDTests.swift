// The text of a call's identity: what the standard library makes of it, digit by digit.

import CallModel
import CallSimulation
import Testing

@Suite struct CallIDTests {
    private static func plainText(_ call: CallID) -> String {
        func digits(_ word: UInt64) -> String {
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        let all = Array(digits(call.high) + digits(call.low))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(all[$0]) }.joined(separator: "-")
    }

    @Test func textIsTheNumbersInHexadecimal() {
        var generator = SeededGenerator(seed: 1)
        var calls = (0..<1_000).map { _ in CallID.random(using: &generator) }
        calls += (0..<64).flatMap { [CallID(high: 1 << $0, low: 0), CallID(high: 0, low: 1 << $0)] }
        calls += [CallID(high: 0, low: 0), CallID(high: .max, low: .max)]
        for call in calls {
            let text = Self.plainText(call)
            #expect(call.description == text)
            #expect(call.pathElement == text.replacing("-", with: "_"))
            #expect(CallID(text) == call)
            #expect(CallID(text.uppercased()) == call)
            #expect(CallID(pathElement: text.replacing("-", with: "_")) == call)
        }
    }

    @Test func eachPlaceTakesDigitsOrItsSeparatorAndNothingElse() {
        let text = Array("01234567-89ab-cdef-0123-456789abcdef".utf8)
        for position in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[position] = byte
                let letter = Character(UnicodeScalar(byte))
                let isRight =
                    text[position] == UInt8(ascii: "-") ? letter == "-" : letter.isASCII && letter.isHexDigit
                let call = CallID(Substring(decoding: changed, as: UTF8.self))
                #expect((call != nil) == isRight, "\(letter) at \(position)")
                if isRight { #expect(call?.description == String(decoding: changed, as: UTF8.self).lowercased()) }
            }
        }
    }

    @Test(arguments: ["", "01234567-89ab-cdef-0123-456789abcde", "01234567-89ab-cdef-0123-456789abcdef0"])
    func otherLengthsAreNone(_ text: String) {
        #expect(CallID(text) == nil)
    }
}
