// The queue of the loop: order, threads, stopping.

import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite struct LoopTests {
    init() { Loop.shared.start() }

    @Test func startIsIdempotentAndRunReturnsElsewhere() {
        Loop.shared.start()
        Loop.shared.run()
        #expect(!Loop.shared.isCurrent)
    }

    @Test func actorCodeRunsOnTheLoop() async {
        let onLoop = await { @LoopActor in
            Loop.shared.isCurrent && LoopActor.assumeIsolated { Loop.shared.isCurrent }
        }()
        #expect(onLoop)
    }

    @Test func postsAndJobsKeepTheirOrder() async throws {
        let inbox = await Inbox<Int>()
        for number in 0..<1000 {
            if number.isMultiple(of: 2) {
                Loop.shared.post { inbox.put(number) }
            } else {
                await inbox.put(number)
            }
        }
        for number in 0..<1000 {
            let next = try await inbox.next()
            #expect(next == number)
        }
    }

    @Test func postsFromManyThreadsAllArriveInEachThreadsOrder() async throws {
        let inbox = await Inbox<(Int, Int)>()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<2000 { Loop.shared.post { inbox.put((thread, number)) } }
                }
            }
        }
        var next = [0, 0, 0, 0]
        for _ in 0..<8000 {
            let (thread, number) = try await inbox.next()
            #expect(next[thread] == number)
            next[thread] = number + 1
        }
        #expect(next == [2000, 2000, 2000, 2000])
    }
}
