// Watches of descriptors, also while descriptors are closed and reused.

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite @LoopActor struct FileWatchTests {
    nonisolated init() { Loop.shared.start() }

    private func makePipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func readableThenHangUp() async throws {
        let (reading, writing) = try makePipe()
        let inbox = Inbox<Readiness>()
        var watch: FileWatch?
        watch = try FileWatch(reading, .readable) { readiness in
            var byte: UInt8 = 0
            if readiness.contains(.readable) { _ = read(reading, &byte, 1) }
            if readiness.contains(.hangUp) { watch?.cancel() }
            inbox.put(readiness)
        }
        write(writing, "x", 1)
        #expect(try await inbox.next() == .readable)
        close(writing)
        #expect(try await inbox.next().contains(.hangUp))
        close(reading)
    }

    @Test func eventsCanBeChanged() async throws {
        let (reading, writing) = try makePipe()
        let inbox = Inbox<Readiness>()
        var watch: FileWatch?
        watch = try FileWatch(writing, []) {
            watch?.cancel()
            inbox.put($0)
        }
        await loopTurn()
        #expect(inbox.pending.isEmpty)
        watch?.events = .writable
        #expect(try await inbox.next() == .writable)
        close(reading)
        close(writing)
    }

    @Test func aWatchMayCancelAnotherWhoseEventIsInTheSameBatch() async throws {
        let (firstReading, firstWriting) = try makePipe()
        let (secondReading, secondWriting) = try makePipe()
        let inbox = Inbox<Int>()
        var watches: [Int: FileWatch] = [:]
        // The handler that is called first cancels the other watch.
        watches[1] = try FileWatch(firstReading, .readable) { _ in
            inbox.put(1)
            watches = [:]
        }
        watches[2] = try FileWatch(secondReading, .readable) { _ in
            inbox.put(2)
            watches = [:]
        }
        write(firstWriting, "x", 1)
        write(secondWriting, "x", 1)
        _ = try await inbox.next()
        await loopTurn()
        #expect(inbox.pending.isEmpty)
        for descriptor in [firstReading, firstWriting, secondReading, secondWriting] { close(descriptor) }
    }

    @Test func aDescriptorClosedAndReusedInOneBatchGetsNoStaleEvent() async throws {
        let (firstReading, firstWriting) = try makePipe()
        let (secondReading, secondWriting) = try makePipe()
        let inbox = Inbox<String>()
        var watches: [FileWatch] = []
        var fresh: [Int32] = [0, 0]
        // The first of the two to be called closes both pipes and opens two whose descriptors have the same numbers.
        func replace() throws {
            watches = []
            for descriptor in [firstReading, firstWriting, secondReading, secondWriting] { close(descriptor) }
            var unused: [Int32] = [0, 0]
            guard pipe(&fresh) == 0, pipe(&unused) == 0 else { return inbox.put("no pipe") }
            for descriptor in [fresh[0], unused[0]] {
                watches.append(try FileWatch(descriptor, .readable) { _ in inbox.put("new \(descriptor)") })
            }
            inbox.put("replaced")
        }
        watches.append(try FileWatch(firstReading, .readable) { _ in try? replace() })
        watches.append(try FileWatch(secondReading, .readable) { _ in try? replace() })
        write(firstWriting, "x", 1)
        write(secondWriting, "x", 1)
        #expect(try await inbox.next() == "replaced")
        await loopTurn()
        #expect(inbox.pending.isEmpty)
        write(fresh[1], "x", 1)
        #expect(try await inbox.next() == "new \(fresh[0])")
        watches = []
    }

    @Test func cancellingAfterTheDescriptorWasClosedLeavesItsSuccessorAlone() async throws {
        let (reading, writing) = try makePipe()
        let old = try FileWatch(reading, .readable) { _ in }
        let (successor, newWriting) = try makePipe()
        // Closes it and reuses its number in one step: another thread might take the number in between.
        #expect(dup2(successor, reading) == reading)
        close(successor)
        close(writing)
        let inbox = Inbox<Bool>()
        var new: FileWatch?
        new = try FileWatch(reading, .readable) { _ in
            new?.cancel()
            inbox.put(true)
        }
        old.cancel()
        write(newWriting, "x", 1)
        #expect(try await inbox.next())
        close(reading)
        close(newWriting)
    }

    @Test func badDescriptorsAreErrors() {
        #expect(throws: SystemError(call: "epoll_ctl", code: EBADF)) { try FileWatch(-1, .readable) { _ in } }
    }
}
