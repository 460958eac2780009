// Who calls, out of what an INVITE says of it.

import OpenCallKit
import Testing

@testable import SIPCalls

@Suite struct CallerTests {
    private static let number = "phone-number:+15550100123"

    /// `phone-number:+1555 Ann`, as the account of alice@example.org at the server 192.0.2.1 sees it.
    private func caller(_ headers: String..., trusted: Bool = true) throws -> String {
        let details = try details(headers, trusted)
        return [details.handle?.description ?? "withheld", details.name].compactMap(\.self).joined(separator: " ")
    }

    private func details(_ headers: [String], _ trusted: Bool = true) throws -> SIPCallerDetails {
        let domain = try #require(SIPServer("example.org"))
        let home = SIPHome(domain: domain, proxy: "sip:inner.test:5080;transport=udp")
        return SIPCallerDetails(
            SIPCaller(headers: headers.map { $0 + "\n" }.joined(), isTrusted: trusted), home: home)
    }

    // opensips #1386
    @Test func theBestOfSeveralIdentities() throws {
        let from = "From: \"x\" <sip:user77@mpbx.test>;tag=1"
        let (sip, tel) = ("\"Ann\" <sip:user77@mpbx.test>", "\"Ann, B.\" <tel:+1-555-010-0123>")
        for headers in [
            ["P-Asserted-Identity: \(sip)", "P-Asserted-Identity: \(tel)"], ["P-Asserted-Identity: \(sip), \(tel)"],
            ["P-Asserted-Identity: \(tel)", "p-asserted-identity: \(sip)"], ["P-Asserted-Identity: \(tel),\(sip)"],
        ] {
            let details = try details([from] + headers)
            #expect(details.handle?.description == Self.number && details.name == "Ann, B.")
        }
        #expect(try caller(from, "P-Asserted-Identity: \(sip), <tel:0123>, <tel:+15550100123>") == "\(Self.number) Ann")
        #expect(try caller(from, "P-Asserted-Identity: \(tel)", trusted: false) == "generic:sip:user77@mpbx.test x")
        #expect(try caller(from, "P-Asserted-Identity: <mailto:a@b>, <sip:>, ,") == "generic:sip:user77@mpbx.test x")
        #expect(try caller(from, "P-Preferred-Identity: <tel:+15550100123>") == Self.number)
        #expect(
            try caller(from, "P-Asserted-Identity: \(sip)", "P-Preferred-Identity: <tel:+1>")
                == "generic:sip:user77@mpbx.test Ann")
        #expect(
            try caller("From: \"Ann\" <sip:+15550100123@a.org>", "P-Asserted-Identity: <tel:+15550100123>")
                == "\(Self.number) Ann")
        #expect(
            try caller("From: \"Bank\" <sip:+15550199999@a.org>", "P-Asserted-Identity: <tel:+15550100123>")
                == Self.number)
    }

    @Test func remoteParties() throws {
        let from = "From: <sip:user77@mpbx.test>"
        let party = "Remote-Party-ID: \"Ann\" <sip:+15550100123@gw.test>"
        #expect(try caller(from, "\(party);party=calling;screen=yes;privacy=off") == "\(Self.number) Ann")
        #expect(try caller(from, "\(party);party=called") == "generic:sip:user77@mpbx.test")
        #expect(try caller(from, "\(party);screen=no") == "\(Self.number) Ann")
        #expect(try caller("From: <tel:+1>", "\(party);screen=no") == "phone-number:+1")
        #expect(try caller(from, "\(party);privacy=\"FULL\"") == "withheld")
        #expect(try caller(from, "\(party);privacy=uri-name") == "withheld")
        #expect(try caller(from, "\(party);privacy=name") == Self.number)
        let named = "From: \"Ann\" <sip:+15550100123@gw.test>"
        #expect(try caller(named, "\(party);privacy=name") == Self.number)
        #expect(
            try caller(named, "P-Asserted-Identity: \"Ann\" <tel:+15550100123>", "\(party);privacy=name") == Self.number
        )
        #expect(try caller(from, "\(party);privacy=full", trusted: false) == "generic:sip:user77@mpbx.test")
    }

    // siphon-sip #199
    @Test(arguments: [
        "id", "ID;critical", "user", "header", "critical; id", "none;id", "session;user", "id,critical", " Id ",
    ])
    func whoAsksToBeWithheld(_ privacy: String) throws {
        for trusted in [true, false] {
            let caller = try caller(
                "From: \"Ann\" <sip:+15550100123@gw.test>", "Privacy: \(privacy)",
                "P-Asserted-Identity: <tel:+15550100123>", trusted: trusted)
            #expect(caller == "withheld")
        }
    }

    @Test func whoHidesNothing() throws {
        let from = "From: \"Ann\" <sip:+15550100123@gw.test>"
        for privacy in ["none", "NONE", "critical", "session", "history", "", ";"] {
            #expect(try caller(from, "Privacy: \(privacy)") == "\(Self.number) Ann")
        }
        #expect(try caller(from, "Privacy: none", "Privacy: id") == "withheld")
        #expect(
            try caller("From: \"Ann\" <sip:anonymous@anonymous.invalid>", "P-Asserted-Identity: <tel:+1>") == "withheld"
        )
        #expect(try caller(from, "P-Asserted-Identity: <sip:anonymous@anonymous.invalid>") == "withheld")
        #expect(try caller("From: nonsense") == "withheld")
        #expect(try caller("From: \"Ann\" <sip:+15550100123@gw") == "withheld")
        #expect(try caller() == "withheld")
    }

    // linphone-desktop #860
    @Test func addressesInsideOfTheProvider() throws {
        for host in ["192.0.2.7", "[2001:db8::7]:5066", "example.org:5070", "inner.test", "Example.ORG"] {
            #expect(try caller("From: <sip:anna@\(host)>") == "generic:sip:anna@example.org")
        }
        #expect(try caller("From: <sip:anna@192.0.2.7>", trusted: false) == "generic:sip:anna@192.0.2.7")
        #expect(try caller("From: <sip:anna@elsewhere.test:5070>") == "generic:sip:anna@elsewhere.test:5070")
        #expect(try caller("From: <sip:*600@c4-mgc.inner>") == "phone-number:*600")
        #expect(try caller("From: <sip:01632960001@c4-mgc.inner>") == "phone-number:01632960001")
    }

    @Test func whoWasCalledFirst() throws {
        let from = "From: <sip:bob@a.org>"
        func diverted(_ headers: String...) throws -> String? { try details([from] + headers).divertedBy?.value }
        let history = "<sip:carol@a.org?Reason=SIP%3Bcause%3D302>;index=1, <sip:alice@example.org>;index=1.1"
        #expect(try diverted("Diversion: \"C, D\" <tel:+1-555>;reason=busy, <sip:dave@a.org>") == "+1555")
        #expect(try diverted("Diversion: <sip:carol@a.org>;privacy=full") == nil)
        #expect(try diverted("History-Info: \(history)") == "sip:carol@a.org")
        #expect(try diverted("History-Info: \(history)", "Privacy: history") == nil)
        #expect(try diverted("History-Info: <sip:c@a.org?Privacy=history>;index=1", "History-Info: <sip:x@y>") == nil)
        #expect(try diverted("History-Info: <sip:c@a.org>;index=1") == nil)
    }

    @Test func whatTheNetworkFoundOut() throws {
        func verification(_ headers: String..., trusted: Bool = true) throws -> CXCallUpdate.Verification? {
            try details(headers, trusted).verification
        }
        let from = "From: <sip:+1;verstat=TN-Validation-Failed@a.org>"
        #expect(
            try verification("From: <sip:x@a.org>", "P-Asserted-Identity: <tel:+1;verstat=TN-Validation-Passed>")
                == .passed)
        #expect(try verification(from) == .failed)
        #expect(try verification(from, trusted: false) == nil)
        #expect(try verification("From: <sip:+1@a.org>;verstat=No-TN-Validation") == CXCallUpdate.Verification.none)
        #expect(try verification("From: <sip:+1@a.org>") == nil)
    }

    @Test func whatCannotBeRead() throws {
        let parts = [
            "From: ", "Privacy: ", "P-Asserted-Identity: ", "Remote-Party-ID: ", "History-Info: ", "<", ">", "\"", "\\",
            ",",
            ";", "=", "?", "sip:", "tel:", "@", "%", "%41", "phone-context=", "+1", "a.org", "\n", " ", "privacy", "🙂",
        ]
        var state: UInt64 = 1
        for _ in 0..<5_000 {
            var text = ""
            for _ in 0..<12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += parts[Int(state >> 33) % parts.count]
            }
            _ = try details([text], state % 2 == 0)
            _ = try? SIPTransferTarget(text, home: SIPServer("a.org").map { SIPHome(domain: $0) })
            _ = SIPCause.causes(in: text)
        }
    }
}
