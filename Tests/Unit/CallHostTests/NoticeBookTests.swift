// What others make the daemon say is bounded for each of them.

import CallCore
import CallModel
import CallStage
import DBus
import EventLoop
import Logging
import Testing

@testable import CallHost

@LoopActor
@Suite struct NoticeBookTests {
    private let clock = VirtualClock(at: Instant(uptime: 1_000_000, date: 1_000_000))
    private let book: NoticeBook

    init() {
        book = NoticeBook(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: clock)
    }

    @Test func whoSaysTooMuchIsNotHeardForAWhile() {
        let heard = (0..<1_000).count { _ in book.count(.app("org.example.A")) }
        #expect(heard == NoticeBook.share)
        #expect(book.count(.app("org.example.B")) && book.count(.process(4711, since: 1)) && book.count(nil))
        clock.pass(NoticeBook.period - .milliseconds(1))
        #expect(!book.count(.app("org.example.A")) && clock.timerCount == 1)
        clock.pass(.milliseconds(1))
        #expect(book.count(.app("org.example.A")) && clock.timerCount == 0)
    }

    @Test func theLimitGoesOn() {
        var heard = 0
        for _ in 0..<60 {
            for _ in 0..<100 where book.count(.app("")) { heard += 1 }
            clock.pass(.seconds(1))
        }
        #expect(heard == 6 * NoticeBook.share)
    }

    @Test func manyOwnersAreForgottenWhenTheirTimeIsOver() {
        for number in 0..<200 { #expect(book.count(.process(UInt32(number), since: 0))) }
        #expect(!(0..<NoticeBook.share).allSatisfy { _ in book.count(.process(0, since: 0)) })
        clock.pass(NoticeBook.period)
        #expect((0..<NoticeBook.share).allSatisfy { _ in book.count(.process(0, since: 0)) })
    }
}

@LoopActor
@Suite struct UnknownKeysTests {
    @Test func theKeysOfAMessageAreNotedTogetherAndOnce() {
        let keys = UnknownKeys()
        let app = Owner.app("org.example.A")
        #expect(keys.note(["nmae"], by: app) == "sent the unknown key \"nmae\", which is ignored")
        #expect(keys.note(["nmae", "b", "a"], by: app) == "sent 2 unknown keys, which are ignored: \"a\", \"b\"")
        #expect(keys.note(["a", "b"], by: app) == nil)
        #expect(keys.note(["a"], by: .app("org.example.B")) != nil)
    }

    @Test func whatMayBeANameOrANumberIsNotQuoted() {
        let keys = UnknownKeys()
        #expect(keys.note(["+46709998877"], by: .app("a")) == "sent an unknown key, which is ignored")
        let mixed = keys.note(["46709998877", "Zacharias", "codec2"], by: .app("a"))
        #expect(mixed == "sent 3 unknown keys, which are ignored: \"codec2\"")
    }

    @Test func eachHasAShare() {
        let keys = UnknownKeys()
        let many = (0..<60).map { "key-\($0)" }
        #expect(keys.note(many, by: .app("a"))?.hasPrefix("sent 60 unknown keys") == true)
        #expect(keys.note(["another"], by: .app("a")) == nil)
        #expect(keys.note(["another"], by: .app("b")) != nil)
    }
}
