// What the user says about an account.

import OpenCallKit
import Testing

@testable import SIPCalls

@Suite struct SettingsTests {
    private func settings(_ changes: [String: CXValue] = [:]) throws(InvalidSIPSettings) -> SIPSettings {
        let usual: [String: CXValue] = ["user": "alice", "domain": "example.org"]
        return try SIPSettings(usual.merging(changes) { $1 }) { $0 == "password" ? "open sesame" : nil }
    }

    private func problem(_ changes: [String: CXValue]) -> String? {
        do {
            _ = try settings(changes)
            return nil
        } catch {
            return error.text
        }
    }

    @Test func usual() throws {
        let usual = try settings()
        #expect(usual.user == "alice" && usual.domain.text == "example.org" && usual.label == "alice@example.org")
        #expect(usual.transport == .tls && usual.encryption == .preferred && usual.proxy == nil && !usual.isTraced)
        #expect(usual.password == "open sesame" && usual.turnPassword == nil && usual.codecs == nil)
        #expect(!"\(usual)".contains("sesame"))
        var dumped = ""
        dump(usual, to: &dumped)
        #expect(!dumped.contains("sesame"))
    }

    @Test func written() throws {
        let written = try settings([
            "user": "sip:alice@Example.org", "domain": "example.org:5070", "transport": "tcp", "encryption": "dtls",
            "codecs": "g722; PCMU,g722", "stun": "stun:s.org", "turn": "t.org:3479", "trace": true, "label": "Work",
        ])
        #expect(written.user == "alice" && written.domain.text == "example.org" && written.label == "Work")
        #expect(written.proxy == "sip:example.org:5070;transport=tcp" && written.codecs == "G722,PCMU")
        #expect(written.stunServer == "s.org" && written.turnServer == "t.org:3479" && written.isTraced)
        #expect(try settings(["user": "100%"]).user == "100%" && settings(["user": "a%40b%3Ac"]).user == "a@b:c")
        #expect(
            try settings(["user": "a\"\\ é"]).user == "a\"\\ é"
                && settings(["auth-user": "a:\"@b"]).authUser == "a:\"@b")
        #expect(try settings(["domain": "[::1]:7060"]).proxy == "sip:[::1]:7060;transport=tls")
        #expect(try settings(["proxy": "p.org"]).proxy == "sip:p.org;transport=tls")
        let proxy = "sip:127.0.0.1:5061;transport=udp"
        #expect(try settings(["proxy": .string(proxy)]).proxy == proxy)
    }

    @Test(arguments: [
        ("user", ""), ("user", "a\r\nb"), ("user", "alice:secret"), ("user", "alice@other.org"), ("domain", ""),
        ("domain", "a b"), ("domain", "sip:a.org"), ("transport", "sctp"), ("encryption", "zrtp"),
        ("proxy", "sip:bob@a.org"), ("proxy", "a b"), ("stun", "a:b:c"), ("codecs", "opus,iLBC"),
        ("display-name", "A\u{1B}"),
    ])
    func invalid(_ key: String, _ value: String) {
        let text = problem([key: .string(value)])
        #expect(text != nil && text?.hasSuffix(".") == false)
    }

    @Test func withoutPassword() {
        let settings: [String: CXValue] = ["user": "alice", "domain": "example.org"]
        #expect(throws: InvalidSIPSettings(text: "The password is missing or not valid")) {
            try SIPSettings(settings) { _ in nil }
        }
    }
}
