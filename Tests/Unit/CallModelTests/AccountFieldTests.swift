// The texts that a setting of an account can have.

import Testing

@testable import CallModel

@Suite struct AccountFieldTests {
    @Test(arguments: ["", "Berlin", String(repeating: "x", count: 1_024), String(repeating: "é", count: 512)])
    func texts(text: String) throws {
        try #require(AccountField("zoo", .string)).check(.string(text))
    }

    @Test(arguments: [
        String(repeating: "x", count: 1_025), String(repeating: "é", count: 513), "a\nb", "\u{1B}[2J", "\u{202E}",
    ])
    func noTexts(text: String) throws {
        let field = try #require(AccountField("zoo", .string))
        let error = #expect(throws: CallError.self) { try field.check(.string(text)) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.message.hasPrefix("the field zoo has control characters or \(text.utf8.count) bytes") == true)
    }
}
