// What the system is told and the engine does, call by call.

import OpenCallKit
import Testing

@testable import SIPCalls

@Suite struct CallTests {
    private let bob = CXHandle(type: .generic, value: "bob")
    private let incoming = SIPCallEvent.incoming(SIPCaller("sip:carol@a.org", "Carol"))
    private let bye = SIPCallEvent.ended(code: 0, failure: nil, reason: "")

    // MARK: outgoing

    @Test func outgoing() {
        var play = Transcript()
        #expect(play.action("a", on: "A", .start(bob)) == "start 1 sip:bob@example.org, fulfil a")
        #expect(play.event(.progress(code: 100, hasMedia: false), of: 1) == "A connecting, A trying")
        #expect(play.event(.progress(code: 181, hasMedia: false), of: 1) == "A forwarded")
        #expect(play.event(.progress(code: 182, hasMedia: false), of: 1) == "A queued")
        #expect(play.event(.progress(code: 180, hasMedia: false), of: 1) == "A alerting")
        #expect(play.event(.progress(code: 180, hasMedia: false), of: 1) == "")
        #expect(play.event(.progress(code: 183, hasMedia: true), of: 1) == "A early-media")
        #expect(play.event(.progress(code: 180, hasMedia: true), of: 1) == "")
        #expect(play.event(.connected, of: 1) == "A connected")
        #expect(play.event(.connected, of: 1) == "")
        #expect(play.event(.progress(code: 180, hasMedia: false), of: 1) == "")
        let media = SIPCallEvent.media(codec: "opus/48000", encryption: "srtp-sdes", isRemoteHeld: false)
        #expect(play.event(media, of: 1) == "A opus/48000 srtp-sdes")
        #expect(play.event(media, of: 1) == "")
        let held = SIPCallEvent.media(codec: "opus/48000", encryption: "srtp-sdes", isRemoteHeld: true)
        #expect(play.event(held, of: 1) == "A remote-held")
        #expect(play.event(media, of: 1) == "A remote-resumed")
        #expect(play.event(bye, of: 1) == "A ended remote-ended - ")
        #expect(play.event(bye, of: 1) == "" && play.table.isEmpty)
    }

    /// WebTrit/webtrit_phone PR #1554, signalwire/freeswitch #2596.
    @Test func eitherTheNetworkIsHeardOrTheRingingTone() {
        for (progress, expected) in [
            ([(183, true), (180, true), (180, true)], ["early-media", "", ""]),
            ([(183, false), (180, false)], ["trying", "alerting"]),
            ([(180, false), (183, false), (183, true), (183, false)], ["alerting", "", "early-media", "alerting"]),
            ([(180, false), (181, false), (183, true), (182, true)], ["alerting", "forwarded", "early-media", ""]),
        ] as [([(UInt16, Bool)], [String])] {
            var play = Transcript()
            _ = play.action("a", on: "A", .start(bob))
            let told = progress.map { play.event(.progress(code: $0, hasMedia: $1), of: 1) }
            #expect(told.map { $0.replacing("A connecting, ", with: "").replacing("A ", with: "") } == expected)
        }
    }

    @Test func keysOfTheFarSide() {
        var play = Transcript()
        _ = play.action("a", on: "A", .start(bob))
        #expect(play.event(.digit("1"), of: 1) == "")
        #expect(play.event(.connected, of: 1) == "A connecting, A connected")
        #expect(play.event(.digit("*"), of: 1) == "A far side presses *")
    }

    @Test func oneThatHidesWhoCalls() {
        var play = Transcript()
        let start = SIPAction.start(bob, hidesNumber: true)
        #expect(play.action("a", on: "A", start) == "start 1 sip:bob@example.org hidden, fulfil a")
    }

    @Test func oneThatCannotBeCalled() {
        var play = Transcript()
        let wrong = CXHandle(type: .phoneNumber, value: "bob")
        #expect(play.action("a", on: "A", .start(wrong)) == "fail a unsupported: The phone number is not valid")
        #expect(play.table.isEmpty)
    }

    @Test func anAnswerWithoutProgress() {
        var play = Transcript()
        _ = play.action("a", on: "A", .start(bob))
        #expect(play.event(.connected, of: 1) == "A connecting, A connected")
    }

    @Test func cancelled() {
        var play = Transcript()
        _ = play.action("a", on: "A", .start(bob))
        #expect(play.action("b", on: "A", .end) == "end 1 0, fulfil b")
        #expect(play.event(.connected, of: 1) == "" && !play.table.isEmpty)
        #expect(play.action("c", on: "A", .hold(true)) == "fail c unreachable: the call has ended")
        #expect(play.action("d", on: "A", .end) == "fulfil d")
        #expect(play.event(.ended(code: 487, failure: nil, reason: ""), of: 1) == "" && play.table.isEmpty)
    }

    // MARK: incoming

    @Test func answered() {
        var play = Transcript()
        #expect(play.event(incoming, of: 9, "A") == "A comes in from sip:carol@a.org Carol")
        #expect(play.apply(.admitted(play.uuid("A"))) == "ring 9")
        #expect(play.apply(.admitted(play.uuid("A"))) == "")
        #expect(play.action("a", on: "A", .hold(true)) == "fail a: the call is not connected")
        #expect(play.action("b", on: "A", .answer) == "answer 9 #2")
        #expect(play.action("c", on: "A", .answer) == "fail c: the call does not ring")
        #expect(play.event(.connected, of: 9) == "fulfil b")
        #expect(play.done(2, of: 9) == "")
        #expect(play.action("d", on: "A", .end) == "end 9 0, fulfil d")
    }

    @Test func answeredBeforeItRings() {
        var play = Transcript()
        _ = play.event(incoming, of: 9, "A")
        #expect(play.action("a", on: "A", .answer) == "answer 9 #1")
        #expect(play.apply(.admitted(play.uuid("A"))) == "")
        #expect(play.done(1, of: 9) == "fulfil a")
    }

    @Test func refusedByTheSystem() {
        var play = Transcript()
        _ = play.event(incoming, of: 9, "A")
        #expect(play.apply(.refused(play.uuid("A"), 603)) == "end 9 603")
        #expect(play.event(bye, of: 9) == "" && play.table.isEmpty)
        #expect(play.apply(.refused(play.uuid("A"), 603)) == "")
    }

    @Test func declined() {
        var play = Transcript()
        _ = play.event(incoming, of: 9, "A")
        _ = play.apply(.admitted(play.uuid("A")))
        #expect(play.action("a", on: "A", .end) == "end 9 603, fulfil a")
    }

    @Test func givenUpWhileItIsAnswered() {
        var play = Transcript()
        _ = play.event(incoming, of: 9, "A")
        _ = play.action("a", on: "A", .answer)
        #expect(play.event(bye, of: 9) == "A ended unanswered - , fail a unreachable: the call has ended")
        #expect(play.done(1, of: 9, .timeout) == "" && play.table.isEmpty)
    }

    @Test func anAnswerThatFails() {
        var play = Transcript()
        _ = play.event(incoming, of: 9, "A")
        _ = play.action("a", on: "A", .answer)
        let failed = "fail a unsupported: the far side has no codec or encryption in common, end 9 500"
        #expect(play.done(1, of: 9, .incompatible) == failed)
        #expect(play.event(.ended(code: 0, failure: .incompatible, reason: ""), of: 9) == "")
    }

    @Test func anAnswerThatComesTooLate() {
        var play = Transcript()
        _ = play.event(incoming, of: 9, "A")
        _ = play.action("a", on: "A", .answer)
        #expect(play.apply(.withdrawn(play.uuid("a"))) == "end 9 480")
        #expect(play.done(1, of: 9) == "" && play.event(.connected, of: 9) == "")
    }

    // MARK: calls that go on

    @Test func held() {
        var play = Transcript()
        play.connect("A", 1)
        #expect(play.action("a", on: "A", .hold(true)) == "hold 1 #2")
        #expect(play.done(2, of: 1) == "fulfil a")
        #expect(play.action("b", on: "A", .hold(true)) == "fulfil b")
        #expect(play.action("c", on: "A", .hold(false)) == "resume 1 #4")
        #expect(play.done(4, of: 1, code: 488, .incompatible) == "fail c unsupported: the far side cannot do it (488)")
        #expect(play.action("d", on: "A", .hold(true)) == "fulfil d")
        #expect(play.action("e", on: "A", .hold(false)) == "resume 1 #6")
        #expect(play.apply(.withdrawn(play.uuid("e"))) == "hold 1 #0")
        #expect(play.done(6, of: 1) == "")
    }

    @Test func mutedAndDialed() {
        var play = Transcript()
        play.connect("A", 1)
        #expect(play.action("a", on: "A", .mute(true)) == "mute 1, fulfil a")
        #expect(play.action("b", on: "A", .digits("1a#")) == "digits 1 1A# #3")
        #expect(play.done(3, of: 1) == "fulfil b")
        #expect(play.action("p", on: "A", .digits("1;,2")) == "digits 1 1,,2 #0, fulfil p")
        #expect(play.action("c", on: "A", .digits("1\r\n")) == "fail c unsupported: the digits are no tones")
        #expect(play.action("d", on: "A", .digits("")) == "fail d unsupported: the digits are no tones")
    }

    @Test func nothingHangsWhenTheCallEnds() {
        var play = Transcript()
        play.connect("A", 1)
        _ = play.action("a", on: "A", .digits("1"))
        _ = play.action("b", on: "A", .hold(true))
        let ended =
            "A ended failed network , fail a unreachable: the call has ended, fail b unreachable: the call has ended"
        #expect(play.event(.ended(code: 0, failure: .unreachable, reason: ""), of: 1) == ended)
    }

    @Test func nothingHangsWhenTheUserEnds() {
        var play = Transcript()
        play.connect("A", 1)
        _ = play.action("a", on: "A", .hold(true))
        #expect(play.action("b", on: "A", .end) == "end 1 0, fulfil b, fail a unreachable: the call has ended")
    }

    @Test func reset() {
        var play = Transcript()
        play.connect("A", 1)
        _ = play.event(incoming, of: 9, "B")
        #expect(play.apply(.reset) == "end 1 480, end 9 480")
        #expect(play.apply(.reset) == "")
    }

    @Test func whatTheEngineTellsOfUnknownCalls() {
        var play = Transcript()
        for event in [SIPCallEvent.connected, bye, .transferRequested(target: "sip:x@y.z"), .digit("1")] {
            #expect(play.event(event, of: 77) == "")
        }
        #expect(play.action("a", on: "A", .end) == "fulfil a")
        #expect(play.action("b", on: "A", .answer) == "fail b unreachable: the call has ended")
    }

    @Test func tooMuchToDo() {
        var play = Transcript()
        play.connect("A", 1)
        for number in 0..<SIPCall.maximumAwaited { _ = play.action("a\(number)", on: "A", .digits("1")) }
        #expect(play.action("z", on: "A", .digits("1")) == "fail z busy: the call has too much to do")
    }
}
