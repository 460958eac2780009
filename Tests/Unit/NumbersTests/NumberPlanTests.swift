// Which handles count as the same.

import CallModel
import Numbers
import TestSupport
import Testing

private struct Case: CustomTestStringConvertible {
    let region: String
    let written: String
    let normalized: String

    init(_ region: String, _ written: String, _ normalized: String) {
        (self.region, self.written, self.normalized) = (region, written, normalized)
    }

    var testDescription: String { "\(region): \(written.prefix(40)) is \(normalized.prefix(40))" }
}

@Suite struct NumberPlanTests {
    private static let numbers = [
        // As people write them.
        Case("SE", "070-174 06 35", "+46701740635"),
        Case("SE", "0701740635", "+46701740635"),
        Case("SE", "+46 70 174 06 35", "+46701740635"),
        Case("SE", "+46 (0)70-174 06 35", "+46701740635"),
        Case("SE", "0046701740635", "+46701740635"),
        Case("SE", "tel:+46-70-174-06-35", "+46701740635"),
        Case("SE", "＋４６７０１７４０６３５", "+46701740635"),
        Case("US", "(650) 253-0000", "+16502530000"),
        Case("US", "1-650-253-0000", "+16502530000"),
        Case("US", "011 46 70 174 06 35", "+46701740635"),
        Case("GB", "020 7031 3000", "+442070313000"),
        Case("DE", "030/901820", "+4930901820"),
        Case("IT", "06 698 12345", "+390669812345"),
        Case("SE", "+46 8 123 456 78;ext=12", "+46812345678"),
        Case("SE", "TEL:+46-70-174-06-35", "+46701740635"),
        Case("", "tel:070-174-06-35;phone-context=+46", "+46701740635"),
        Case("SE", "sms:1234", "sms:1234"),
        Case("US", "1-800-FLOWERS", "+18003569377"),
        Case("US", "(650) 253-0000 x123", "+16502530000"),
        Case("US", "+1-800-FLOWERS", "+18003569377"),
        Case("SE", "tel:+46701740635;ext=12;isub=1", "+46701740635"),
        Case("SE", "+46(0)701740635", "+46701740635"),
        // With digits of other scripts, and marks of the reading direction.
        Case("SE", "٠٧٠١٧٤٠٦٣٥", "+46701740635"),
        Case("SE", "+४६७०१७४०६३५", "+46701740635"),
        Case("SE", "\u{200E}+46 70 174 06 35\u{202C}", "+46701740635"),
        Case("SE", "\u{202B}070\u{2011}174\u{A0}06\u{200F}35", "+46701740635"),
        Case("GB", "\u{2068}+44 1632\u{A0}960001\u{2069}", "+441632960001"),
        Case("GB", "\u{FEFF}020\u{202F}7031\u{AD}3000\u{200B}", "+442070313000"),
        Case("SE", "12\u{3000}\u{2009}3\u{2060}4\u{2028}", "1234"),
        // As networks write them.
        Case("SE", "46701740635", "+46701740635"),
        // In an unknown region, only numbers with a country code can be compared.
        Case("", "+46701740635", "+46701740635"),
        Case("", "070-174 06 35", "0701740635"),
        Case("", "650 253 0000", "6502530000"),
        // A number of a spam list need not be in use.
        Case("", "+46700000000", "+46700000000"),
        // Short and invalid numbers only lose their separators.
        Case("SE", "1234", "1234"),
        Case("", "1111", "1111"),
        Case("SE", "12 34", "1234"),
        Case("SE", "(12) 34-5", "12345"),
        Case("SE", "114 14", "11414"),
        Case("SE", "112", "112"),
        Case("US", "911", "911"),
        Case("US", "555-1234", "5551234"),
        Case("SE", "*100#", "*100#"),
        Case("SE", "١٢٣٤", "1234"),
        Case("SE", "+", "+"),
        Case("SE", "+999 1234", "+9991234"),
        Case("SE", "- ( ) -", "- ( ) -"),
        Case("SE", "call 070-174 06 35 now", "call0701740635now"),
        Case("SE", "anonymous", "anonymous"),
        Case("SE", "00000000000000000000", "00000000000000000000"),
        Case("SE", "+46701740635123456789", "+46701740635123456789"),
        Case("SE", "²³", "²³"),
    ]

    @Test(arguments: numbers) private func phoneNumbers(_ row: Case) {
        #expect(NumberPlan(region: row.region).normalized(phoneNumber: row.written) == row.normalized)
    }

    /// Normalizing is idempotent: lists may contain either form.
    @Test(arguments: numbers) private func onceIsEnough(_ row: Case) {
        let plan = NumberPlan(region: row.region)
        let once = plan.normalized(phoneNumber: row.written)
        #expect(plan.normalized(phoneNumber: once) == once)
    }

    /// A mobile number of Argentina is told without the 9, and numbers are without their country code (libphonenumber's FAQ).
    @Test(arguments: [
        ("+5491123456789", "+541123456789", true), ("+5491123456789", "1123456789", true),
        ("+5491123456789", "23456789", true), ("+46701740605", "701740605", true),
        ("+541123456789", "1523456789", true), ("+5491123456789", "1523456789", true),
        ("+461123456789", "1523456789", false),
        ("+5491123456789", "+5491123456780", false), ("+5491123456789", "+551123456789", false),
        ("+5491123456789", "+549112345678", false), ("+46701740605", "1740605", false),
        ("+46701740605", "+461740605", false), ("+461740605", "+46701740605", false),
        ("+5215512345678", "+525512345678", true), ("+46701740605", "0701740605", true),
        ("01740605", "+46701740605", false), ("+46701740605", "sip:anna", false), ("", "+46701740605", false),
    ]) func numbersThatMayBeTheSame(_ one: String, _ other: String, _ mayBe: Bool) {
        #expect(NumberPlan.mayBeSame(one, other) == mayBe)
        #expect(NumberPlan.mayBeSame(other, one) == mayBe)
    }

    @Test func otherHandles() throws {
        let plan = NumberPlan(region: "SE")
        let mail = try Handle(type: .emailAddress, value: " Monkey@Example.ORG. ")
        #expect(plan.normalized(mail) == "monkey@example.org")
        #expect(plan.normalized(try Handle(type: .emailAddress, value: "mailto:a@b.se")) == "a@b.se")
        #expect(plan.normalized(try Handle(type: .emailAddress, value: "mailto:")) == "mailto:")
        #expect(plan.normalized(try Handle(type: .generic, value: "0701740635")) == "0701740635")
        #expect(plan.normalized(try Handle(type: .generic, value: "Bananas ")) == "Bananas ")
        #expect(plan.normalized(try Handle(type: .phoneNumber, value: "0701740635")) == "+46701740635")
    }

    @Test(arguments: [
        (["LC_ALL": "sv_SE.UTF-8", "LANG": "en_US.UTF-8"], "SE"),
        (["LC_TELEPHONE": "de_AT@euro", "LANG": "en_US"], "AT"),
        (["LC_ALL": "", "LANG": "en_us.UTF-8"], "US"), (["LC_ALL": "C.UTF-8", "LANG": "en_US"], ""),
        (["LANG": "C"], ""),
        (["LANG": "eo"], ""), (["LANG": "es_419"], ""), ([:], ""), (["LANG": "sv_\u{e5}"], ""),
    ])
    func regionOfTheLocale(_ environment: [String: String], _ region: String) {
        #expect(NumberPlan(environment: environment).region == region)
    }

    @Test func regionsThatAreNone() {
        for text in ["", "S", "SWE", "1A", "å", "@@", "  "] {
            #expect(NumberPlan(region: text).region == "", "\(text)")
        }
        #expect(NumberPlan(region: "se").region == "SE")
    }

    /// No input traps or takes long.
    @Test func hostileTexts() throws {
        let plan = NumberPlan(region: "SE")
        let digits = String(repeating: "7", count: 100_000)
        #expect(plan.normalized(phoneNumber: digits) == digits)
        let marks = "0" + String(repeating: "\u{301}", count: 50_000)
        #expect(plan.e164(marks) == nil)
        #expect(plan.e164("+46\u{0}701740635") == nil || plan.e164("+46\u{0}701740635") == 46_701_740_635)
        var generator = SeededGenerator()
        let alphabet = Array("0123456789+-() ;=.ext*#:телAＺ\u{202E}\u{200B}😀")
        for _ in 0..<3_000 {
            let text = String(
                (0..<Int.random(in: 0...60, using: &generator)).compactMap { _ in
                    alphabet.randomElement(using: &generator)
                })
            let once = plan.normalized(phoneNumber: text)
            #expect(plan.normalized(phoneNumber: once) == once, "\(text)")
        }
    }
}
