// Timers: order, never early, cancellation, many of them.

import EventLoop
import TestSupport
import Testing

@Suite @LoopActor struct LoopTimerTests {
    nonisolated init() { Loop.shared.start() }

    @Test func timersFireInOrderAndNeverEarly() async throws {
        let inbox = Inbox<(Int, MonotonicTime)>()
        let start = MonotonicTime.now
        let timers = [30, 10, 20, 10, 0].map { delay in
            LoopTimer(at: start.advanced(by: .milliseconds(delay))) { inbox.put((delay, .now)) }
        }
        var order: [Int] = []
        for _ in timers {
            let (delay, time) = try await inbox.next()
            #expect(time >= start.advanced(by: .milliseconds(delay)))
            order.append(delay)
        }
        #expect(order == [0, 10, 10, 20, 30])
        #expect(timers.allSatisfy { !$0.isPending })
    }

    @Test func cancelledAndDroppedTimersStaySilent() async throws {
        let inbox = Inbox<String>()
        let cancelled = LoopTimer(after: .milliseconds(1)) { inbox.put("cancelled") }
        cancelled.cancel()
        var dropped: LoopTimer? = LoopTimer(after: .milliseconds(1)) { inbox.put("dropped") }
        #expect(dropped?.isPending == true)
        dropped = nil
        let kept = LoopTimer(after: .milliseconds(5)) { inbox.put("kept") }
        #expect(try await inbox.next() == "kept")
        #expect(inbox.pending.isEmpty)
        #expect(!cancelled.isPending && !kept.isPending)
    }

    @Test func aTimerMayCancelAnotherThatIsDueAtTheSameMoment() async throws {
        let inbox = Inbox<String>()
        let moment = MonotonicTime.now.advanced(by: .milliseconds(2))
        var second: LoopTimer?
        let first = LoopTimer(at: moment) {
            second?.cancel()
            inbox.put("first")
        }
        second = LoopTimer(at: moment) { inbox.put("second") }
        let last = LoopTimer(at: moment) { inbox.put("last") }
        #expect(try await inbox.next() == "first")
        #expect(try await inbox.next() == "last")
        #expect(!first.isPending && !last.isPending)
    }

    @Test func aTimerDroppedByAnotherOfTheSameMomentStaysSilent() async throws {
        let inbox = Inbox<String>()
        let moment = MonotonicTime.now.advanced(by: .milliseconds(2))
        var second: LoopTimer?
        let first = LoopTimer(at: moment) {
            second = nil
            inbox.put("first")
        }
        second = LoopTimer(at: moment) { inbox.put("second") }
        let last = LoopTimer(at: moment) { inbox.put("last") }
        #expect(second?.isPending == true)
        #expect(try await inbox.next() == "first")
        #expect(try await inbox.next() == "last")
        #expect(!first.isPending && !last.isPending && second == nil)
    }

    @Test func aTimerThatRearmsItselfDoesNotStarveTheLoop() async throws {
        let inbox = Inbox<Int>()
        let spinner = Spinner()
        spinner.spin { turns in
            guard turns == 3 else { return }
            Loop.shared.post {
                spinner.timer = nil
                inbox.put(spinner.turns)
            }
        }
        #expect(try await inbox.next() >= 3)
    }

    @Test func tenThousandTimersMostOfThemCancelled() async throws {
        let inbox = Inbox<Int>()
        let start = MonotonicTime.now.advanced(by: .milliseconds(5))
        var timers: [LoopTimer] = []
        for index in 0..<10_000 {
            timers.append(LoopTimer(at: start.advanced(by: .milliseconds((index * 7919) % 20))) { inbox.put(index) })
        }
        for (index, timer) in timers.enumerated() where index % 100 != 0 { timer.cancel() }
        var last = -1
        for _ in 0..<100 {
            let index = try await inbox.next()
            #expect(index % 100 == 0)
            #expect((index * 7919) % 20 >= last)
            last = (index * 7919) % 20
        }
        await loopTurn()
        #expect(inbox.pending.isEmpty)
    }

    @Test func timeArithmeticIsClamped() {
        let zero = MonotonicTime(nanoseconds: 0)
        #expect(zero.advanced(by: .milliseconds(-5)) == zero)
        #expect(MonotonicTime.now.advanced(by: .seconds(Int64.max)).nanoseconds == .max)
        #expect(zero.advanced(by: .milliseconds(7)).duration(since: zero) == .milliseconds(7))
        #expect(zero.duration(since: zero.advanced(by: .milliseconds(7))) == .milliseconds(-7))
        #expect(Duration.microseconds(-7_900).milliseconds == -7)
        #expect(Duration.seconds(Int64.max).milliseconds == .max)
    }
}

@LoopActor private final class Spinner {
    var timer: LoopTimer?
    var turns = 0

    func spin(onTurn: @escaping @LoopActor (Int) -> Void) {
        timer = LoopTimer(after: .milliseconds(0)) { [weak self] in
            guard let self else { return }
            turns += 1
            onTurn(turns)
            spin(onTurn: onTurn)
        }
    }
}
