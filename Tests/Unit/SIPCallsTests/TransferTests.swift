// Transfers and conferences.

import OpenCallKit
import Testing

@testable import SIPCalls

@Suite struct TransferTests {
    private let carol = CXHandle(type: .generic, value: "sip:carol@a.org")
    private let bye = SIPCallEvent.ended(code: 0, failure: nil, reason: "")

    @Test func blind() {
        var play = Transcript()
        play.connect("A", 1)
        #expect(play.action("a", on: "A", .transfer(carol)) == "transfer 1 sip:carol@a.org #2")
        #expect(play.done(2, of: 1, code: 486, .other(1)) == "fail a busy: the far side is busy")
        #expect(play.action("b", on: "A", .transfer(carol)) == "transfer 1 sip:carol@a.org #3")
        #expect(play.done(3, of: 1) == "fulfil b, end 1 0")
        #expect(play.event(bye, of: 1) == "" && play.table.isEmpty)
    }

    @Test func attended() {
        var play = Transcript()
        play.connect("A", 1)
        play.connect("B", 2)
        #expect(play.action("a", on: "A", .transferTo(play.uuid("A"))) == "fail a unreachable: the call has ended")
        #expect(play.action("b", on: "A", .transferTo(play.uuid("B"))) == "transfer 1 to 2 #3")
        #expect(play.done(3, of: 1) == "fulfil b, end 2 480, end 1 0")
        #expect(play.event(bye, of: 2) == "" && play.event(bye, of: 1) == "" && play.table.isEmpty)
    }

    @Test func whoIsTransferredMayHangUpFirst() {
        var play = Transcript()
        play.connect("A", 1)
        _ = play.action("a", on: "A", .transfer(carol))
        #expect(play.event(bye, of: 1) == "A ended remote-ended - , fail a unreachable: the call has ended")
    }

    @Test func accepted() {
        var play = Transcript()
        play.connect("A", 1)
        #expect(play.action("a", on: "A", .answerTransfer(carol)) == "fail a: the far side does not ask for a transfer")
        let asks = "take 1 sip:carol@a.org, A asks for sip:carol@a.org"
        #expect(play.event(.transferRequested(target: "sip:carol@a.org"), of: 1) == asks)
        let other = CXHandle(type: .generic, value: "sip:dave@a.org")
        let wrong = "fail b: the far side names another party now"
        #expect(play.action("b", on: "A", .answerTransfer(other)) == wrong)
        #expect(play.action("c", on: "A", .answerTransfer(carol)) == "accept 1 #4")
        #expect(play.event(.replaced(SIPCaller("sip:carol@a.org", "Carol")), of: 1) == "A is sip:carol@a.org Carol")
        #expect(play.done(4, of: 1) == "fulfil c")
        _ = play.event(.transferRequested(target: "sip:carol@a.org"), of: 1)
        #expect(play.action("d", on: "A", .answerTransfer(carol)) == "accept 1 #5")
        #expect(play.done(5, of: 1) == "fulfil d, A is sip:carol@a.org ")
    }

    @Test func declinedAndFailed() {
        var play = Transcript()
        play.connect("A", 1)
        _ = play.event(.transferRequested(target: "sip:carol@a.org"), of: 1)
        #expect(play.action("a", on: "A", .answerTransfer(nil)) == "decline 1 #0, fulfil a")
        #expect(play.event(.transferRequested(target: "nonsense"), of: 1) == "refuse 1 400")
        _ = play.event(.transferRequested(target: "sip:carol@a.org"), of: 1)
        #expect(play.action("b", on: "A", .answerTransfer(carol)) == "accept 1 #3")
        #expect(play.done(3, of: 1, code: 486, .other(1)) == "fail b busy: the far side is busy, A asks no more")
    }

    // linphone-desktop #706, WebphoneLib #36
    @Test func theServerOfTheFarSideTransfers() {
        func caller(_ headers: String...) -> SIPCaller {
            SIPCaller(headers: headers.map { $0 + "\n" }.joined(), isTrusted: true)
        }
        let from = "From: \"Gus\" <sip:+15550144007@gw.test>"
        var play = Transcript()
        _ = play.event(.incoming(caller(from, "P-Asserted-Identity: <tel:+15550144007>")), of: 1, "A")
        for same in [
            caller(from), caller("From: <tel:+1-555-014-4007>"),
            caller(from, "P-Asserted-Identity: <tel:+15550144007>"),
            caller(from, "Remote-Party-ID: <tel:+1>;party=called"),
            caller(from, "Remote-Party-ID: <tel:+1>;party=calling;screen=no"),
        ] { #expect(play.event(.identified(same), of: 1) == "") }
        let hal = caller(from, "P-Asserted-Identity: \"Hal\" <tel:+15550144008>")
        #expect(play.event(.identified(hal), of: 1) == "A is +15550144008 Hal")
        #expect(play.event(.identified(hal), of: 1) == "" && play.event(.identified(caller(from)), of: 1) == "")
        let ida = "A is sip:ida@a.org Ida"
        #expect(play.event(.identified(SIPCaller("sip:ida@a.org", "Ida")), of: 1) == ida)
        #expect(play.event(.identified(caller(from, "Privacy: id")), of: 1) == "A is nobody ")
        #expect(play.event(.identified(caller(from, "P-Asserted-Identity: <tel:+15550144008>")), of: 1) == "")
        // Of whom we call, the first that is told is what the others are compared with.
        var other = Transcript()
        other.connect("B", 1)
        #expect(other.event(.identified(SIPCaller("sip:bob@inner.test", "Bob")), of: 1) == "")
        #expect(other.event(.identified(SIPCaller("sip:ida@a.org", "Ida")), of: 1) == "B is sip:ida@a.org Ida")
    }

    @Test func replaced() {
        var play = Transcript()
        play.connect("A", 1)
        _ = play.event(.transferRequested(target: "sip:carol@a.org"), of: 1)
        let replaced = "A asks no more, A is sip:eve@a.org Eve"
        #expect(play.event(.replaced(SIPCaller("sip:eve@a.org", "Eve")), of: 1) == replaced)
        #expect(play.event(.replaced(SIPCaller("sip:anonymous@a.org", "Eve")), of: 1) == "A is nobody ")
    }

    // jambonz-feature-server #473
    @Test(arguments: [
        ("<tel:+1-555-010-0123>", "+15550100123"), ("tel:+15550100123;ext=12", "+15550100123"),
        ("\"Office, <here>\" <tel:+15550100123>", "+15550100123"), ("<TEL:+1(555)010.0123;isub=1>;x=y", "+15550100123"),
        ("<tel:0123;phone-context=+1555010>", "+15550100123"),
        ("<tel:0123;phone-context=%2B1-555-010>", "+15550100123"),
    ])
    func toNumbersOfEveryForm(_ target: String, _ number: String) {
        var play = Transcript()
        play.connect("A", 1)
        let outcome = "take 1 sip:\(number)@example.org;user=phone, A asks for \(number)"
        #expect(play.event(.transferRequested(target: target), of: 1) == outcome)
    }

    @Test(arguments: [
        ("<tel:112;phone-context=+1>", "take 1 sip:112@example.org, A asks for 112"),
        ("<tel:100;phone-context=Example.org>", "take 1 sip:100@example.org, A asks for 100"),
        (
            "<sip:+358-555-1234567;postd=pp22@a.org;user=phone>",
            "take 1 sip:+3585551234567;postd=pp22@a.org;user=phone, A asks for +3585551234567"
        ),
        (
            "<sips:bob@a.org:5071;gr=1?Replaces=1%40a%3Bto-tag%3D2%3Bfrom-tag%3D3&X=y>",
            "take 1 sips:bob@a.org:5071;gr=1 for 1@a;to-tag=2;from-tag=3, A asks for sips:bob@a.org:5071"
        ),
        ("<sip:+1%20(555)-010.0123@a.org;gr=x>", "take 1 sip:+15550100123@a.org;gr=x, A asks for +15550100123"),
        ("<sip:conference-1@a.org>", "take 1 sip:conference-1@a.org, A asks for sip:conference-1@a.org"),
        ("sip:bob@example.org:5070;method=INVITE", "take 1 sip:bob@example.org:5070, A asks for sip:bob@example.org"),
    ])
    func toOthers(_ target: String, _ outcome: String) {
        var play = Transcript()
        play.connect("A", 1)
        #expect(play.event(.transferRequested(target: target), of: 1) == outcome)
    }

    @Test(arguments: [
        ("<tel:+1-555-GET-0123>", 400), ("<tel:>", 400), ("<tel:0123;phone-context=+1x>", 400),
        ("<tel:0123;phone-context>", 400),
        ("<tel:0123;phone-context=elsewhere.test>", 400), ("<tel:0123;phone-context=+1;phone-context=+2>", 400),
        ("<tel:+15550100123;m-far=1>", 400), ("<tel:+15550100123?x=y>", 400), ("<tel:+1>,<tel:+2>", 400),
        ("<sip:example.org>", 400), ("<sip:bob@a.org;method=BYE>", 400), ("<sip:a@b@a.org>", 400),
        ("<sip:b ob@a.org>", 400),
        ("<sip:bob@a.org?Replaces=%0d%0aX>", 400), ("<sip:bob@a.org?Replaces=1&replaces=2>", 400), ("", 400),
        ("bob", 400),
        ("<sip:+1;m-far=1@a.org>", 400), ("<mailto:bob@a.org>", 416), ("<urn:service:sos>", 416),
        ("<sip:anonymous@anonymous.invalid>", 603),
    ])
    func toWhatIsNotUnderstood(_ target: String, _ code: Int) {
        var play = Transcript()
        play.connect("A", 1)
        #expect(play.event(.transferRequested(target: target), of: 1) == "refuse 1 \(code)")
    }

    // linphone-sdk #127
    @Test func pickedUpWhileItRings() {
        var play = Transcript()
        _ = play.action("a", on: "A", .start(carol))
        _ = play.event(.progress(code: 180, hasMedia: false), of: 1)
        #expect(play.event(.replaced(SIPCaller("sip:dave@a.org", "Dave")), of: 1) == "A is sip:dave@a.org Dave")
        #expect(play.event(.connected, of: 1) == "A connected")
    }

    // MARK: conferences

    @Test func joinedAndLeft() {
        var play = Transcript()
        for (call, number) in [("A", 1), ("B", 2), ("C", 3)] as [(String, UInt64)] { play.connect(call, number) }
        _ = play.action("h", on: "A", .hold(true))
        _ = play.done(4, of: 1)
        #expect(play.action("a", on: "A", .join(play.uuid("B"))) == "group 1 1, group 2 1, resume 1 #5")
        #expect(play.done(5, of: 1) == "fulfil a")
        #expect(play.action("b", on: "C", .join(play.uuid("A"))) == "group 3 1, fulfil b")
        #expect(play.action("c", on: "C", .leave) == "group 3 0, hold 1 #6, hold 2 #7")
        #expect(play.done(7, of: 2) == "")
        #expect(play.done(6, of: 1) == "fulfil c")
        #expect(play.action("d", on: "C", .leave) == "fulfil d")
    }

    @Test func aConferenceThatFailsIsPutBack() {
        var play = Transcript()
        play.connect("A", 1)
        play.connect("B", 2)
        for (action, call, token) in [("h", "A", 3), ("i", "B", 4)] as [(String, String, UInt64)] {
            _ = play.action(action, on: call, .hold(true))
            _ = play.done(token, of: call == "A" ? 1 : 2)
        }
        #expect(play.action("a", on: "A", .join(play.uuid("B"))) == "group 1 1, group 2 1, resume 2 #5, resume 1 #6")
        #expect(play.done(5, of: 2) == "")
        let failed = "fail a unreachable: the far side does not answer, group 2 0, group 1 0, hold 2 #7"
        #expect(play.done(6, of: 1, .timeout) == failed)
        #expect(play.done(7, of: 2) == "")
    }
}
