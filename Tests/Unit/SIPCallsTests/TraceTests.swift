// What is left of a SIP message in a log.

import Testing

@testable import SIPCalls

@Suite struct TraceTests {
    private let trace = SIPTrace { name in "<\(name.utf8.count)>" }

    private static let invite = [
        "INVITE sip:bob@example.org;transport=tcp?Subject=hello SIP/2.0", "Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bKx",
        "From: \"Alice, Smith\" <sip:alice@example.org>;tag=1;x=alice", "t: sips:bob@example.org",
        "Contact: <sip:alice-1@192.0.2.1:5060;ob>;+sip.instance=\"<urn:uuid:1>\";expires=60",
        "P-Asserted-Identity: Alice <sip:+4670@a.org>, <tel:+4670>", "Call-ID: alice-1@host",
        "Proxy-Authorization: Digest username=\"alice\",", " response=\"1234\"", "Subject: secret plans",
        "Identity: eyJ", "X-Alice: alice", "CSeq: 1 INVITE", "Reason: SIP;cause=200;text=\"alice\"",
        "Content-Type: application/sdp", "Content-Length: 10", "", "v=0", "o=alice 1 1 IN IP4 192.0.2.1", "s=alice",
        "c=IN IP4 192.0.2.1", "m=audio 4000 RTP/SAVP 0", "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:key",
        "a=ice-pwd:pass", "a=ice-ufrag:frag", "a=fingerprint:sha-256 AA", "a=rtpmap:0 PCMU/8000", "a=sendrecv", "",
    ].joined(separator: "\r\n")

    @Test func invite() {
        let expected = [
            "INVITE sip:<3>@example.org;transport=tcp SIP/2.0", "Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bKx",
            "From: \"<14>\" <sip:<5>@example.org>;tag=1;x=…", "t: sips:<3>@example.org",
            "Contact: <sip:<7>@192.0.2.1:5060;ob>;+sip.instance=…;expires=60",
            "P-Asserted-Identity: \"<5>\" <sip:<5>@a.org>, <<9>>", "Call-ID: <12>", "Proxy-Authorization: …",
            "Subject: …", "Identity: …", "X-Alice: …", "CSeq: 1 INVITE", "Reason: cause=200",
            "Content-Type: application/sdp", "Content-Length: 10", "", "v=0", "o=…", "s=…", "c=IN IP4 192.0.2.1",
            "m=audio 4000 RTP/SAVP 0", "a=crypto:…", "a=ice-pwd:…", "a=ice-ufrag:…", "a=fingerprint:…",
            "a=rtpmap:0 PCMU/8000", "a=sendrecv", "",
        ].joined(separator: "\n")
        #expect(trace.shown(Self.invite) == expected)
    }

    @Test func others() {
        #expect(trace.shown("SIP/2.0 486 Bob is busy\r\nRetry-After: 5\r\n\r\n") == "SIP/2.0 486\nRetry-After: 5\n")
        let notify = "NOTIFY sip:b@c SIP/2.0\r\nContent-Type: message/sipfrag\r\n\r\nSIP/2.0 486 Bob is busy\r\n"
        #expect(trace.shown(notify).hasSuffix("\n\nSIP/2.0 486\n"))
        let refusal = "SIP/2.0 480 Gone\r\nWarning: 399 alice \"bob\"\r\nReason: Alice;cause=46701740605\r\n\r\n"
        #expect(trace.shown(refusal) == "SIP/2.0 480\nWarning: 399\nReason: …\n")
        let message = "MESSAGE sip:b@c SIP/2.0\r\nContent-Type: text/plain\r\n\r\nmy PIN is 1234"
        let shown = trace.shown(message)
        #expect(!shown.contains("PIN") && shown.contains("(a body that is not shown)"))
        #expect(
            trace.shown("REGISTER sip:a.org SIP/2.0\r\nContact: *\r\n\r\n")
                == "REGISTER sip:a.org SIP/2.0\nContact: *\n")
    }

    @Test func bodiesInSeveralParts() {
        let message = [
            "INFO sip:b@c SIP/2.0", "Content-Type: multipart/mixed; boundary=\"b1\"", "", "a preamble", "--b1",
            "Content-Type: application/sdp", "", "v=0", "o=alice", "--b1", "Content-ID: <alice>",
            "Content-Type: application/pidf+xml", "", "<where alice=\"is\"/>", "--b1--", "alice: an epilogue", "",
        ]
        let expected = [
            "--…", "Content-Type: application/sdp", "", "v=0", "o=…", "--…", "Content-ID: …",
            "Content-Type: application/pidf+xml", "", "(a body that is not shown)", "",
        ]
        for end in ["\r\n", "\n"] {
            let shown = trace.shown(message.joined(separator: end))
            #expect(shown.hasSuffix("\n\n" + expected.joined(separator: "\n")))
        }
        let nested = "Content-Type: multipart/mixed;boundary=b\r\n\r\n--b\r\n"
        _ = trace.shown("INFO sip:b@c SIP/2.0\r\n" + String(repeating: nested, count: 300))
    }

    /// No message makes it give up, and no name gets through.
    @Test func hostile() {
        for cut in stride(from: 0, to: Self.invite.utf8.count, by: 7) {
            let part = String(decoding: Self.invite.utf8.prefix(cut), as: UTF8.self)
            #expect(!trace.shown(part).contains("secret"))
            let rest = String(decoding: Self.invite.utf8.dropFirst(cut), as: UTF8.self)
            _ = trace.shown(rest)
        }
        for text in [
            "", "\r\n", "\u{1B}[31m", ":", "<", "a:<<<", "From: <<sip:>;", "INVITE", String(repeating: "<", count: 99),
        ] {
            #expect(!trace.shown(text).contains("\u{1B}"))
        }
        #expect(trace.shown(String(repeating: "Via: x\r\n", count: 10_000)).utf8.count <= SIPTrace.maximumLength)
    }
}
