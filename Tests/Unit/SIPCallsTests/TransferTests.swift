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
        #expect(play.event(.transferRequested(uri: "sip:carol@a.org"), of: 1) == "A asks for sip:carol@a.org")
        let other = CXHandle(type: .generic, value: "sip:dave@a.org")
        let wrong = "fail b: the far side names another party now"
        #expect(play.action("b", on: "A", .answerTransfer(other)) == wrong)
        #expect(play.action("c", on: "A", .answerTransfer(carol)) == "accept 1 #4")
        #expect(play.event(.replaced(uri: "sip:carol@a.org", name: "Carol"), of: 1) == "A is sip:carol@a.org Carol")
        #expect(play.done(4, of: 1) == "fulfil c")
        _ = play.event(.transferRequested(uri: "sip:carol@a.org"), of: 1)
        #expect(play.action("d", on: "A", .answerTransfer(carol)) == "accept 1 #5")
        #expect(play.done(5, of: 1) == "fulfil d, A is sip:carol@a.org ")
    }

    @Test func declinedAndFailed() {
        var play = Transcript()
        play.connect("A", 1)
        _ = play.event(.transferRequested(uri: "sip:carol@a.org"), of: 1)
        #expect(play.action("a", on: "A", .answerTransfer(nil)) == "decline 1 #0, fulfil a")
        #expect(play.event(.transferRequested(uri: "nonsense"), of: 1) == "decline 1 #0")
        _ = play.event(.transferRequested(uri: "sip:carol@a.org"), of: 1)
        #expect(play.action("b", on: "A", .answerTransfer(carol)) == "accept 1 #3")
        #expect(play.done(3, of: 1, code: 486, .other(1)) == "fail b busy: the far side is busy, A asks no more")
    }

    @Test func replaced() {
        var play = Transcript()
        play.connect("A", 1)
        _ = play.event(.transferRequested(uri: "sip:carol@a.org"), of: 1)
        let replaced = "A asks no more, A is sip:eve@a.org Eve"
        #expect(play.event(.replaced(uri: "sip:eve@a.org", name: "Eve"), of: 1) == replaced)
        #expect(play.event(.replaced(uri: "sip:anonymous@a.org", name: "Eve"), of: 1) == "A is nobody ")
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
