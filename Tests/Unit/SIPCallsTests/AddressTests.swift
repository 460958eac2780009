// Whom users call, and who calls them.

import OpenCallKit
import Testing

@testable import SIPCalls

@Suite struct AddressTests {
    private static let long = String(repeating: "a", count: 257)
    private static let domain = SIPServer("example.org")

    private func dialed(_ text: String, _ type: CXHandle.HandleType = .generic) throws -> String? {
        let domain = try #require(Self.domain)
        return try? SIPAddress(dialing: CXHandle(type: type, value: text), domain: domain).text
    }

    @Test(arguments: [
        ("bob", "sip:bob@example.org"), (" bob ", "sip:bob@example.org"), ("100", "sip:100@example.org"),
        ("bob@Other.Example", "sip:bob@other.example"), ("sip:bob@other.example:5080", "sip:bob@other.example:5080"),
        ("SIPS:bob@other.example", "sips:bob@other.example"), ("sip:bob@[::1]:5061", "sip:bob@[::1]:5061"),
        ("tel:+46-70-123", "sip:+4670123@example.org;user=phone"), ("tel:911;phone-context=x", "sip:911@example.org"),
        ("+46 (0)70", "sip:+46070@example.org;user=phone"), ("*31#5", "sip:*31%235@example.org"),
        ("bob smith", "sip:bob%20smith@example.org"), ("b\u{f6}b", "sip:b%C3%B6b@example.org"),
        ("b%20b", "sip:b%20b@example.org"), ("100%", "sip:100%25@example.org"),
        ("sip:bob:secret@a.org;maddr=10.0.0.1;transport=TCP?Subject=x", "sip:bob@a.org;transport=tcp"),
        ("a<b>\"c@a.org", "sip:a%3Cb%3E%22c@a.org"), ("sip:+1-555-010-0123@a.org", "sip:+15550100123@a.org"),
        ("sip:01-2;postd=1-2@a.org;user=phone", "sip:012;postd=1-2@a.org;user=phone"),
        ("sip:1-2@a.org", "sip:1-2@a.org"), ("bob@a.org.", "sip:bob@a.org"),
        ("sip:bob@A.org.:5080", "sip:bob@a.org:5080"),
        ("tel:0123;phone-context=+1-555-010", "sip:+15550100123@example.org;user=phone"),
    ])
    func typed(_ text: String, _ uri: String) throws {
        #expect(try dialed(text) == uri)
    }

    @Test(arguments: [
        "", " ", "bob\r\nVia: x", "bob\u{0}", "b%0d%0ab", "b%00", "sip:", "sip:example.org", "sip:bob@", "sip:@a.org",
        "bob@a b", "bob@-a.org", "bob@a..org", "bob@a.org..", "bob@.", "bob@a.org:0", "bob@a.org:99999", "bob@a.org:+1",
        "bob@a.org>", "x:y",
        "tel:bob",
        "bob@\u{f6}.org", "http://a.org", long, "sip:bob@a.org:5060:1", "bob@[::1", "bob@::1",
    ])
    func refused(_ text: String) throws {
        #expect(try dialed(text) == nil)
    }

    @Test func phoneNumbers() throws {
        #expect(try dialed("0701 23", .phoneNumber) == "sip:070123@example.org")
        #expect(try dialed("bob", .phoneNumber) == nil)
        #expect(try dialed(String(repeating: "1", count: 65), .phoneNumber) == nil)
        #expect(try dialed("bob@a.org", .emailAddress) == "sip:bob@a.org")
    }

    @Test(arguments: [
        ("sip:bob@a.org", "generic:sip:bob@a.org"), ("sip:bob@a.org:5080;tag=1", "generic:sip:bob@a.org:5080"),
        ("sip:+4670@a.org", "phone-number:+4670"), ("sip:100@a.org", "phone-number:100"),
        ("sip:+4670;npdi@a.org;user=phone", "phone-number:+4670"), ("tel:+46-70", "phone-number:+4670"),
        ("sips:b%20b@a.org", "generic:sips:b%20b@a.org"), ("sip:anonymous@anonymous.invalid", nil),
        ("sip:x@anonymous.invalid", nil), ("sip:Anonymous@a.org", nil), ("sip:anonymous;x=y@a.org", nil), ("", nil),
        ("sip:a%0Db@a.org", nil),
        ("mailto:bob@a.org", nil), ("sip:bob@a.org\r\nX: y", nil), ("sip:%ff@a.org", nil),
        ("sip:bob;verstat=No@a.org", "generic:sip:bob@a.org"), ("sip:*600@a.org", "phone-number:*600"),
        ("sip:conference-1@a.org", "generic:sip:conference-1@a.org"), ("sip:-@a.org", "generic:sip:-@a.org"),
        ("tel:0123;phone-context=+1555010", "phone-number:+15550100123"),
        ("tel:911;phone-context=+1", "phone-number:911"), ("tel:100;phone-context=a.org", "phone-number:100"),
    ])
    func callers(_ uri: String, _ handle: String?) {
        #expect(SIPAddress.handle(for: uri)?.description == handle)
    }

    // freeswitch #2824
    @Test(arguments: [
        "+1-555-010-0123", "+15550100123;cpc=ordinary", "+15550100123;npdi;rn=+15550100999", "%2B15550100123",
        "+1%20(555)%20010.0123", "+15550100123;isub=12;postd=pp22", "+15550100123%3Bcpc=ordinary",
        "%E2%80%AA+1%C2%A0555%E2%80%910100123%E2%80%AC", "0123;phone-context=+1555010",
    ])
    func numbersInUserParts(_ user: String) {
        for more in ["", ".", ";user=phone", ":5080;transport=tcp;user=phone"] {
            #expect(SIPAddress.handle(for: "sip:\(user)@gw.test\(more)")?.description == "phone-number:+15550100123")
        }
    }

    @Test func names() {
        #expect(SIPName.shown(" Bob\u{202E}\r\n ") == "Bob")
        #expect(SIPName.shown("\u{7}") == nil)
        #expect(SIPName.shown("Bob", withheld: true) == nil)
        #expect(SIPName.shown(Self.long)?.count == 256)
    }
}
