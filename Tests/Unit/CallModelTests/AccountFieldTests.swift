// The texts that a setting of an account can have.

import Testing

@testable import CallModel

@Suite struct AccountFieldTests {
    @Test(arguments: ["", "Berlin", String(repeating: "x", count: 1_024), String(repeating: "é", count: 512)])
    func texts(text: String) throws {
        try #require(AccountField("zoo", .string)).check(.string(text))
    }

    @Test(arguments: [
        ("yes", AccountField.Kind.boolean, AccountValue.boolean(true)), ("TRUE", .boolean, .boolean(true)),
        ("No", .boolean, .boolean(false)), ("false", .boolean, .boolean(false)), ("0", .number, .number(0)),
        ("4294967295", .number, .number(.max)), ("yes", .string, .string("yes")), ("", .string, .string("")),
    ])
    func typed(text: String, kind: AccountField.Kind, value: AccountValue) throws {
        #expect(try #require(AccountField("loud", kind)).value(typed: text) == value)
    }

    @Test(arguments: [
        ("maybe", AccountField.Kind.boolean), ("", .boolean), ("-1", .number), ("4294967296", .number),
        ("1.5", .number),
        ("", .number), ("a\u{1B}", .string),
    ])
    func wronglyTyped(text: String, kind: AccountField.Kind) throws {
        let field = try #require(AccountField("loud", kind))
        let error = #expect(throws: CallError.self) { try field.value(typed: text) }
        #expect(error?.message.hasPrefix("the field loud ") == true)
    }

    @Test func secretsAreNotRepeated() throws {
        let field = try #require(AccountField("pin", .secret))
        let error = #expect(throws: CallError.self) { try field.value(typed: "hunter2") }
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test(arguments: [String(repeating: "x", count: 1_025), String(repeating: "é", count: 513)])
    func longTexts(text: String) throws {
        try expectInvalid(text, "the field zoo has \(text.utf8.count) bytes, expected 1024 at most")
    }

    @Test(arguments: ["a\nb", "\u{1B}[2J", "\u{202E}"])
    func unsafeTexts(text: String) throws {
        try expectInvalid(text, "the field zoo has control characters")
    }

    private func expectInvalid(_ text: String, _ message: String) throws {
        let field = try #require(AccountField("zoo", .string))
        let error = #expect(throws: CallError.self) { try field.check(.string(text)) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.message == message)
    }
}
