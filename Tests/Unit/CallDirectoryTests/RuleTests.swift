// The forms of rules, and the callers that they match.

import CallModel
import Testing

@testable import CallDirectory

@Suite struct RuleTests {
    /// Replaces the region's numbering plan, which has tests of its own.
    private func normalize(_ text: String) -> String {
        text.contains("@") ? text.lowercased() : text.filter { !" \u{A0}\u{3000}-()".contains($0) }
    }

    private func rule(_ text: String) throws(CallError) -> HandleRule { try HandleRule(text, normalize: normalize) }

    @Test(arguments: [
        ("+46 70-123 45 67", "+46701234567"), ("1234", "1234"), ("Anna@Example.com", "anna@example.com"),
        ("+4670…", "+4670…"), ("+46 70...", "+4670…"), ("+46(70)*", "+4670…"), ("0900*", "0900…"),
        ("+46900000000-+46909999999", "+46900000000-+46909999999"),
        ("+46 900 000 000 – +46 909 999 999", "+46900000000-+46909999999"),
        ("withheld", "withheld"), (" sip:x ", "sip:x"),
        // What is invisible, and spaces of any kind, are no part of a number (verbb/hyper #86, Signal-Android #11630).
        ("\u{202E}1234", "1234"), ("\u{202D}+44 1632\u{A0}960001\u{202C}", "+441632960001"),
        ("\u{2068}+46\u{AD}70\u{202F}…\u{2069}", "+4670…"), ("\u{FEFF}12\u{200B}34\u{3000}", "1234"),
        ("+1555010????", "+15550100000-+15550109999"), ("+46 70-123 4?", "+467012340-+467012349"),
    ]) func rulesAreUnderstood(text: String, expected: String) throws {
        let rule = try rule(text)
        #expect(rule.description == expected)
        #expect(try self.rule(expected) == rule, "what is written can be read again")
    }

    @Test(arguments: [
        "", "   ", "*", "+…", "anna*", "+1234567890123456*", "+46900-+4690", "+469-+468", "+46a-+46b", "a\u{0}b",
        "a\nb",
        "\u{202E}", "?", "+?", "1234?", "+46?0", "+46??*", "+123456789012????", String(repeating: "9", count: 513),
        "()-",
        // Normalized, they would read as other rules.
        "(withheld)", "anna…()", "12*()", "(+1)+2",
    ]) func nonsenseIsRefused(text: String) {
        let error = #expect(throws: CallError.self) { try rule(text) }
        #expect(error?.code == .invalidArguments)
    }

    @Test(
        arguments: [
            ("+46701234567", ["+46701234567"], ["+4670123456", "+467012345678", "46701234567", ""]),
            ("+4670…", ["+4670", "+46701", "+46709999999"], ["+4671", "4670", "+467", "+4670x", ""]),
            ("0900*", ["0900123"], ["+0900123", "090"]),
            (
                "+46900000000-+46909999999", ["+46900000000", "+46905555555", "+46909999999"],
                ["+46899999999", "+46910000000", "+4690555555", "46905555555"]
            ),
            ("withheld", [""], ["withheld", "+1"]),
            ("anna@example.com", ["anna@example.com"], ["anna@example.co", ""]),
        ] as [(String, [String], [String])]) func whoIsMatched(text: String, matched: [String], others: [String]) throws
    {
        var rules = HandleRules()
        #expect(try rules.insert(rule(text)) && !rules.insert(rule(text)))
        #expect(matched.allSatisfy(rules.match))
        #expect(!others.contains(where: rules.match))
        #expect(try rules.remove(rule(text)) && !rules.remove(rule(text)) && rules == HandleRules())
        #expect(!matched.contains(where: rules.match))
    }

    @Test func numbersOfHandles() {
        #expect(HandleRule.number(of: "+14085551234") == 14_085_551_234 && HandleRule.number(of: "1234") == 1234)
        for text in ["", "+", "0", "a1", "+1a", "1234567890123456789", "٣"] {
            #expect(HandleRule.number(of: text) == nil)
        }
    }

    @Test func theFileIsReadAsItWasWritten() throws {
        var rules = UserRules()
        for text in ["+4670…", "1234", "withheld", "+46900000000-+46909999999"] {
            _ = try rules.blocked.insert(rule(text))
        }
        for text in ["anna@example.com", "+46701112233", "sip:a name with spaces"] {
            _ = try rules.allowed.insert(HandleRule(text) { $0 })
        }
        let read = UserRules.read(rules.text) { $0 }
        #expect(read.rules == rules && read.complaints.isEmpty)
    }

    @Test func linesThatAreNoRulesAreNamed() {
        let read = UserRules.read("# x\n\nblock 1\r\nlove 2\nallow\nblock +*\nallow 3\nblock +4670") { $0 }
        #expect(read.rules.blocked.texts == ["1"] && read.rules.allowed.texts == ["3"])
        #expect(
            read.complaints == [
                "line 8 is cut off, expected a line with an end",
                "line 4: 'love 2' is not a valid rule, expected block or allow and a caller",
                "line 5: 'allow' is not a valid rule, expected block or allow and a caller",
                "line 6: '+*' is not a valid prefix, expected 1 to 15 digits as in +4670…",
            ])
    }

    @Test func thereIsAMost() throws {
        var rules = HandleRules()
        for number in 0..<HandleRules.maximumRanges { _ = try rules.insert(.range(Int64(number)...Int64(number))) }
        let error = #expect(throws: CallError.self) { try rules.insert(.range(7...9)) }
        #expect(error?.code == .limitsExceeded)
    }
}
