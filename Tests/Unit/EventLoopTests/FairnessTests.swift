// Posted work runs first, but does not starve other events.

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite @LoopActor struct FairnessTests {
    init() { Loop.shared.start() }

    /// Posts itself until it is told to stop.
    private final class Restless {
        var heard: [String] = []
        /// It stops by itself once both were heard: who waits for that may be late.
        var isOver: Bool { heard.count == 2 }

        @LoopActor func run() {
            if !isOver { Loop.shared.post { self.run() } }
        }
    }

    @Test func workThatNeverEndsLeavesDescriptorsAndTimersTheirTurn() async throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let inbox = Inbox<[String]>()
        let restless = Restless()
        func hear(_ event: String) {
            #expect(!restless.isOver)
            restless.heard.append(event)
            if restless.isOver { inbox.put(restless.heard) }
        }
        let watch = try FileWatch(ends[0], .readable) { _ in
            var byte: UInt8 = 0
            if read(ends[0], &byte, 1) == 1 { hear("read") }
        }
        restless.run()
        let timer = LoopTimer(after: .milliseconds(5)) { hear("timer") }
        #expect(write(ends[1], [1], 1) == 1)
        #expect(try await inbox.next().sorted() == ["read", "timer"] && !timer.isPending)
        watch.cancel()
    }

    @Test func timersThatComeAndGoFireInTheirOrderAndNotEarly() async throws {
        let inbox = Inbox<(Int, Bool)>()
        var timers: [LoopTimer] = []
        for milliseconds in [30, 3, 12, 1, 7] {
            let deadline = MonotonicTime.now.advanced(by: .milliseconds(milliseconds))
            timers.append(LoopTimer(at: deadline) { inbox.put((milliseconds, .now >= deadline)) })
        }
        timers[1].cancel()
        var seen: [Int] = []
        for _ in 0..<4 {
            let (milliseconds, isDue) = try await inbox.next()
            #expect(isDue)
            seen.append(milliseconds)
        }
        #expect(seen == [1, 7, 12, 30])
        let last = MonotonicTime.now.advanced(by: .milliseconds(2))
        timers.append(LoopTimer(at: last) { inbox.put((2, .now >= last)) })
        #expect(try await inbox.next() == (2, true))
    }
}
