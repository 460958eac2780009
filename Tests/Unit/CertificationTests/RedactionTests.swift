// Which texts of a report stand for secrets.

import Testing

@testable import Certification

@Suite struct RedactionTests {
    @Test(arguments: [
        (["hunter2"], "no", "no"), (["hunter2"], "hunter2", "(secret)"),
        (["hunter2"], "xhunter2hunter2y", "x(secret)(secret)y"),
        ([], "hunter2", "hunter2"), ([""], "hunter2", "hunter2"), (["hunter2", "hunter22"], "hunter22", "(secret)"),
        (["hunter2", "2468"], "hunter2468", "(secret)468"), (["käse"], "der käse", "der (secret)"),
        (["secret"], "a secret", "a (secret)"), (["hunter2"], "hunter", "hunter"), (["hunter2"], "", ""),
    ])
    func texts(secrets: [String], text: String, expected: String) {
        #expect(Redaction(secrets)(text) == expected)
    }

    @Test(arguments: [
        ("after 10 ms", "after 10 ms"), ("pin 1", "pin (secret)"), ("1, 11 and \"1\"", "(secret), 11 and \"(secret)\""),
        ("v1", "v1"), ("1", "(secret)"),
    ])
    func shortOnes(text: String, expected: String) { #expect(Redaction(["1"])(text) == expected) }
}
