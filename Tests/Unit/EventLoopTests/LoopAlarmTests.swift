// Alarms: once each time, never early, and silent when unset or dropped.

import EventLoop
import TestSupport
import Testing

@Suite @LoopActor struct LoopAlarmTests {
    nonisolated init() { Loop.shared.start() }

    @Test func anAlarmRingsOnceEachTimeItIsSetAndNeverEarly() async throws {
        let inbox = Inbox<MonotonicTime>()
        let alarm = LoopAlarm { inbox.put(.now) }
        #expect(!alarm.isSet)
        for delay in [0, 1, 7] {
            let start = MonotonicTime.now
            alarm.set(afterMilliseconds: delay)
            #expect(alarm.isSet)
            #expect(try await inbox.next() >= start.advanced(byMilliseconds: delay))
            #expect(!alarm.isSet)
        }
        #expect(inbox.pending.isEmpty)
    }

    @Test func settingItAgainMovesIt() async throws {
        let inbox = Inbox<MonotonicTime>()
        let moved = LoopAlarm { inbox.put(.now) }
        let start = MonotonicTime.now
        moved.set(afterMilliseconds: 1)
        moved.set(afterMilliseconds: 60)
        #expect(try await inbox.next() >= start.advanced(byMilliseconds: 60))
        #expect(!moved.isSet && inbox.pending.isEmpty)
    }

    @Test func anUnsetOrDroppedAlarmStaysSilent() async throws {
        let inbox = Inbox<String>()
        let unset = LoopAlarm { inbox.put("unset") }
        unset.set(afterMilliseconds: 1)
        unset.unset()
        var dropped: LoopAlarm? = LoopAlarm { inbox.put("dropped") }
        dropped?.set(afterMilliseconds: 1)
        dropped = nil
        var victim: LoopAlarm?
        let dropping = LoopAlarm { victim = nil }
        victim = LoopAlarm { inbox.put("victim") }
        for alarm in [dropping, victim] { alarm?.set(afterMilliseconds: 1) }
        let kept = LoopAlarm { inbox.put("kept") }
        kept.set(afterMilliseconds: 10)
        #expect(try await inbox.next() == "kept")
        #expect(inbox.pending.isEmpty && !unset.isSet)
    }

    @Test func anAlarmMaySetItselfAndUnsetAnother() async throws {
        let inbox = Inbox<String>()
        var rings = 0
        var other: LoopAlarm?
        var again: (() -> Void)?
        let first = LoopAlarm {
            rings += 1
            other?.unset()
            if rings < 3 { again?() }
            inbox.put("first")
        }
        again = { first.set(afterMilliseconds: 1) }
        other = LoopAlarm { inbox.put("other") }
        first.set(afterMilliseconds: 1)
        other?.set(afterMilliseconds: 1)
        for _ in 0..<3 { #expect(try await inbox.next() == "first") }
        #expect(inbox.pending.isEmpty && rings == 3)
        again = nil
    }
}
