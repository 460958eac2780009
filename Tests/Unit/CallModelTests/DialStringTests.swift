// How whom to call is read from text.

import CallModel
import Foundation
import Testing

@Suite struct DialStringTests {
    /// `Tests/Fixtures/Handles.tsv`: what is written, and the handle that it means, with the digits after connecting
    /// behind a space; or `!` and a part of the error.
    @Test func everyWritingHasItsMeaning() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../Fixtures/Handles.tsv").standardizedFileURL
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count > 2_000)
        for line in lines {
            let halves = line.split(separator: "\t", omittingEmptySubsequences: false).map { Self.unescaped($0) }
            let (written, expected) = (halves[0], halves[1])
            let meaning = Self.meaning(of: written)
            if expected.first == "!" {
                #expect(meaning.first == "!", "\(written.debugDescription) is \(meaning)")
                #expect(expected == "!" || meaning.contains(expected.dropFirst(2)), "\(meaning)")
            } else {
                #expect(meaning == expected, "\(written.debugDescription)")
            }
        }
    }

    @Test func theErrorSaysWhatIsExpected() {
        #expect(
            Self.meaning(of: "Carla")
                == "! \"Carla\" cannot be called, expected a number such as +46 70 123 45 67, an address such as"
                + " ann@example.com, or a URI such as sip:ann@example.com")
        #expect(Self.meaning(of: " ").hasPrefix("! whom to call is missing, expected a number"))
        #expect(Self.meaning(of: "070;5") == "! \"070;5\" waits for the user after the number, expected a pause (,)")
        #expect(Self.meaning(of: "Carla\u{202E}\u{7}").hasPrefix("! \"Carla\" cannot"))
    }

    @Test func whatIsTooLongIsRefused() {
        #expect(Self.meaning(of: String(repeating: "1", count: 257)).contains("at most 256"))
        #expect(Self.meaning(of: "070," + String(repeating: "1", count: 64)).contains("digits are 1 to 64 characters"))
        #expect(Self.meaning(of: "070," + String(repeating: "1", count: 63)).hasPrefix("phone-number:070 ,1"))
        #expect(Self.meaning(of: "+46" + String(repeating: " ", count: 100_000) + "70") == "phone-number:+4670")
        #expect(Self.meaning(of: "tel:" + String(repeating: ";", count: 100_000)).hasPrefix("! "))
    }

    /// What is written as one handle is read as that handle.
    @Test func aHandleReadsItself() throws {
        for type in HandleType.allCases {
            let handle = try Handle(type: type, value: "a b;c,d:%20?\u{E9}")
            #expect(try DialString(parsing: handle.description).handle == handle)
        }
    }

    private static func meaning(of written: String) -> String {
        do throws(CallError) {
            let dialed = try DialString(parsing: written)
            return dialed.handle.description + (dialed.postDial.isEmpty ? "" : " \(dialed.postDial)")
        } catch {
            return "! \(error.message)" + (error.code == .invalidArguments ? "" : " (\(error.code))")
        }
    }

    /// Reads `\u{A0}` as in Swift.
    private static func unescaped(_ text: Substring) -> String {
        var parts = text.components(separatedBy: "\\u{")
        for index in parts.indices.dropFirst() {
            let halves = parts[index].split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
            let scalar = UInt32(halves[0], radix: 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? "?"
            parts[index] = scalar + halves[1]
        }
        return parts.joined()
    }
}
