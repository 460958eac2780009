// How whom to call is read from text.

import CallModel
import Foundation
import Testing

@Suite struct DialStringTests {
    /// `Tests/Fixtures/Handles.tsv`: what is written, and the handle that it means, with the digits after connecting and
    /// whether the own number is hidden or shown behind spaces; or `!` and a part of the error. Among them are writings of
    /// cjlotz/Xamarin.Plugins #40, 64characters/Telephone #348, google/libphonenumber #1106 and
    /// SimpleMobileTools/Simple-Dialer #372.
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
        #expect(
            Self.meaning(of: "+46 7O 174 06 05")
                == "! there is a letter in the number, expected digits, or a word of three or more capital letters at its"
                + " end as in 1-800-FLOWERS")
        #expect(
            Self.meaning(of: "Carla\u{202E}\u{7}").hasPrefix(
                "! \"Carla\" cannot be called, it has a character that cannot be seen"))
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
            let value = type == .phoneNumber ? "+46 70 174 06 05" : "a b;c,d:%20?\u{E9}"
            let handle = try Handle(type: type, value: value)
            #expect(try DialString(parsing: handle.description).handle == handle)
        }
    }

    /// SimpleMobileTools/Simple-Dialer #158, blackboxembedded/WunderLINQ-Android #100.
    @Test func numbersAreComparedAsNumbers() throws {
        let emergencies = [
            "112", "1-1-2", " 112", "1 1 2", "(112)", "١١٢", "１１２", "1\u{AD}1\u{200D}2", "\u{202F}112\u{A0}", "tel:112",
            "TEL:1-1-2", "tel:112;phone-context=+46", "112;phone-context=+46", "#31#112", "*31#1-1-2", "112;5",
            "112,5", "1-1-2p5", "112#", "１１２#", "#31#112#", "tel:112%23",
        ]
        for number in emergencies {
            #expect(try Handle(type: .phoneNumber, value: number).isAmong(["112"]), "\(number.debugDescription)")
        }
        #expect(try Handle(type: .generic, value: "tel:1-1-2").isAmong(["112"]))
        for number in [
            "91112345", "1120", "+4791112345", "+112", "11", "1l2", "112@example.org", "sip:112", "*112#", "112##",
            "1120#",
        ] {
            #expect(try !Handle(type: .phoneNumber, value: number).isAmong(["112"]), "\(number)")
        }
        #expect(try !Handle(type: .generic, value: "sip:112@example.org").isAmong(["112"]))
        #expect(try !Handle(type: .generic, value: "112").isAmong(["112"]))
        #expect(try !Handle(type: .emailAddress, value: "112").isAmong(["112"]))
    }

    @Test func serviceCodesAreNoNumbers() throws {
        for code in [
            "*100#", "*21*0701740605#", "##002#", "*#06#", "#31#", "*31#", "*1 0-0#", "tel:*100#", "**04*1*2*2#",
            "100#",
            "0701740605#", "1#", "＊１００＃", "tel:%2A100%23", "*21*+46-70-1740605#", "*400#1234", "#31#*100#",
        ] {
            #expect(try Handle(type: .phoneNumber, value: code).isServiceCode, "\(code)")
        }
        for number in [
            "112", "*98", "#31#070", "*31#+46701740605", "+46701740605", "0701740605,#", "**620", "Carla", "Carla#",
            "1", "99",
            "*21*0701740605",
        ] {
            #expect(try !Handle(type: .phoneNumber, value: number).isServiceCode, "\(number)")
        }
        #expect(try !Handle(type: .generic, value: "*100#").isServiceCode)
    }

    @Test func whatWaitsIsSentInParts() {
        #expect(",,4711#;99;;5".untilWaitSign == (",,4711#", "99;;5"))
        #expect(";99".untilWaitSign == ("", "99"))
        #expect("12".untilWaitSign == ("12", ""))
        #expect("99;;5".waiting(after: "99") == "5")
        #expect("99;;5".waiting(after: ";99") == "5")
        #expect("99;5".waiting(after: "5") == "99;5")
        #expect("99".waiting(after: "99") == "")
    }

    private static func meaning(of written: String) -> String {
        do throws(CallError) {
            let dialed = try DialString(parsing: written)
            return dialed.handle.description + (dialed.postDial.isEmpty ? "" : " \(dialed.postDial)")
                + (dialed.hidesNumber.map { $0 ? " hidden" : " shown" } ?? "")
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
