// The loop as a guest of another one, which polls its descriptor.

import EventLoop
import Glibc
import Synchronization
import Testing

@Suite struct GuestLoopTests {
    @Test func postsWatchesAndTimersRunInTurnsOfTheHost() async {
        await #expect(processExitsWith: .success) {
            let host = Host.begin()
            LoopActor.assumeIsolated { playGuest(of: host) }
        }
    }

    /// A handler that posts itself again and again leaves the host its turn.
    @Test func theHostGetsItsTurnWhileWorkLeadsToWork() async {
        await #expect(processExitsWith: .success) {
            _ = Host.begin()
            LoopActor.assumeIsolated {
                postForEver()
                precondition(Loop.shared.turn())
                precondition(Loop.shared.timeToNextTurn == 0)
            }
        }
    }
}

@LoopActor private func playGuest(of host: Host) {
    // What was posted before the first turn, and in a turn, is not forgotten.
    var count = 0
    Loop.shared.post {
        count += 1
        Loop.shared.post { count += 1 }
    }
    host.turn(until: { count == 2 })

    // Another thread wakes the host.
    precondition(!host.isReadable(within: 0))
    var thread = pthread_t()
    pthread_create(&thread, nil, postFromThread, nil)
    host.turn(until: { threadPosts.load(ordering: .relaxed) == 1 })
    pthread_join(thread, nil)

    var fired: [Int] = []
    let begin = MonotonicTime.now
    let later = LoopTimer(after: .milliseconds(30)) { fired.append(2) }
    let sooner = LoopTimer(after: .milliseconds(10)) { fired.append(1) }
    host.turn(until: { !later.isPending && !sooner.isPending })
    precondition(fired == [1, 2])
    precondition(MonotonicTime.now.nanoseconds - begin.nanoseconds >= 30_000_000)

    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    var isReadable = false
    let watch = try? FileWatch(ends[0], .readable) { _ in isReadable = true }
    _ = write(ends[1], "x", 1)
    host.turn(until: { isReadable })
    watch?.cancel()

    // With nothing to do, the host may sleep for ever.
    precondition(Loop.shared.timeToNextTurn == -1)
    precondition(!host.isReadable(within: 0))

    Loop.shared.stop()
    precondition(!Loop.shared.turn())
}

private let threadPosts = Atomic(0)

/// Not in `playGuest`, since a closure there belongs to the loop's actor, and may not be called by another thread.
private func postFromThread(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Loop.shared.post { threadPosts.add(1, ordering: .relaxed) }
    return nil
}

@LoopActor private func postForEver() { Loop.shared.post { postForEver() } }

/// The least that a host does.
private struct Host {
    let descriptor: Int32

    /// Takes the place of the thread that is the loop in processes of tests.
    static func begin() -> Host {
        Loop.shared.start()
        precondition(Loop.shared.join() == nil)
        Loop.shared.stop()
        while true {
            if let descriptor = Loop.shared.join() { return Host(descriptor: descriptor) }
            sched_yield()
        }
    }

    func isReadable(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, milliseconds) > 0
    }

    @LoopActor func turn(until isDone: () -> Bool) {
        while !isDone() {
            _ = isReadable(within: Loop.shared.timeToNextTurn)
            precondition(Loop.shared.turn())
        }
    }
}
