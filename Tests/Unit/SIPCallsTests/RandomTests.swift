// Addresses and messages at random: nothing that a stranger writes breaks a reader, or shows a secret in a log.

import OpenCallKit
import Testing

@testable import SIPCalls

@Suite struct RandomTests {
    /// SplitMix64.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }

        mutating func text(of parts: [String], most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &self)).map { _ in parts.randomElement(using: &self) ?? "" }.joined()
        }
    }

    private static let secret = "s3cr3t"
    private static let parts = [
        "sip:", "sips:", "tel:", "@", ":", ";", "?", "<", ">", "\"", "\\", ",", "=", "%", "%00", "%41", "[", "]", "::1",
        "192.0.2.1", "5060", "99999", "bob", "+46 70", "user=phone", "transport=tcp", " ", "\t", "\r", "\n", "\r\n ",
        "\u{0}", "\u{7F}", "é", "e\u{301}", "🙂", "\u{202E}", "*", "#", "example.org", ".", "-",
    ]

    /// Whether a URI can go into a request as it is.
    private static func isPlain(_ uri: String) -> Bool {
        uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>\"\\".utf8.contains($0) }
    }

    @Test(arguments: 0..<20) func addresses(_ seed: Int) throws {
        var generator = Generator(state: UInt64(seed))
        for _ in 0..<1_000 {
            let text = "sip:" + generator.text(of: Self.parts, most: 8)
            _ = SIPAddress.handle(for: text)
            guard let address = SIPAddress(uri: text) else { continue }
            #expect(Self.isPlain(address.text), "\(text)")
            if address.text.utf8.count <= SIPAddress.maximumLength {
                #expect(SIPAddress(uri: address.text) == address, "\(text)")
            }
        }
    }

    @Test(arguments: 0..<20) func dialed(_ seed: Int) throws {
        var generator = Generator(state: UInt64(seed))
        let domain = try #require(SIPServer("example.org"))
        for _ in 0..<1_000 {
            let text = generator.text(of: Self.parts, most: 8)
            for type in [CXHandle.HandleType.generic, .phoneNumber] {
                let handle = CXHandle(type: type, value: text)
                guard let address = try? SIPAddress(dialing: handle, domain: domain) else { continue }
                #expect(Self.isPlain(address.text) && !address.user.isEmpty, "\(text)")
            }
        }
    }

    @Test(arguments: 0..<20) func names(_ seed: Int) {
        var generator = Generator(state: UInt64(seed))
        for _ in 0..<1_000 {
            let name = SIPName.shown(generator.text(of: Self.parts, most: 300))
            #expect(name?.isEmpty != true && name?.hasControls != true)
            #expect((name?.count ?? 0) <= SIPName.maximumLength)
        }
    }

    /// A name in quotes, however it is written, is not shown.
    @Test(arguments: 0..<20) func secrets(_ seed: Int) {
        var generator = Generator(state: UInt64(seed))
        let trace = SIPTrace { _ in "~" }
        let headers = [
            "From", "t", "Contact", "P-Asserted-Identity", "Refer-To", "Diversion", "Subject", "X-Any", "i",
            "Authorization",
        ]
        let noise = ["\\\"", "\\\\", " ", ",", ";", "<", ">", "é", "=", "bob"]
        for _ in 0..<500 {
            let name = generator.text(of: noise, most: 4) + Self.secret + generator.text(of: noise, most: 4)
            let header = headers.randomElement(using: &generator) ?? "From"
            let lines = [
                "INVITE sip:\(Self.secret)@example.org SIP/2.0",
                "\(header): \"\(name)\" <sip:\(Self.secret)@example.org>;tag=1",
                "Content-Type: text/plain", "", Self.secret, name,
            ]
            let shown = trace.shown(lines.joined(separator: Bool.random(using: &generator) ? "\r\n" : "\n"))
            #expect(!shown.contains(Self.secret), "\(lines)")
        }
    }

    @Test(arguments: 0..<20) func messages(_ seed: Int) {
        var generator = Generator(state: UInt64(seed))
        let trace = SIPTrace { _ in "~" }
        let words =
            Self.parts + [
                "INVITE ", " SIP/2.0\r\n", "From: ", "Via: ", "Content-Type: application/sdp\r\n", "\r\n\r\n",
                "a=crypto:",
            ]
        for _ in 0..<300 {
            let shown = trace.shown(generator.text(of: words, most: 40))
            #expect(!shown.split(separator: "\n").contains { $0.hasControls })
        }
    }
}
