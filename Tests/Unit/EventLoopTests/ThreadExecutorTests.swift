// An actor on a thread of its own waits there, and nobody with it.

import EventLoop
import Glibc
import Testing

@Suite struct ThreadExecutorTests {
    private actor Waiting {
        private let executor: ThreadExecutor
        private(set) var calls: [Int] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init() throws { executor = try ThreadExecutor("waiting") }

        func note(_ call: Int) -> UInt {
            calls.append(call)
            return UInt(pthread_self())
        }

        /// Waits until somebody writes.
        func read(from descriptor: Int32) -> Int {
            var byte: UInt8 = 0
            return Glibc.read(descriptor, &byte, 1)
        }
    }

    @Test func itKeepsToOneThreadAndToTheOrder() async throws {
        let actor = try Waiting()
        var threads: Set<UInt> = []
        for call in 0..<100 { threads.insert(await actor.note(call)) }
        #expect(threads.count == 1 && !threads.contains(UInt(pthread_self())))
        #expect(await actor.calls == Array(0..<100))
    }

    @Test func oneThatWaitsKeepsNobody() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let (waiting, other) = (try Waiting(), try Waiting())
        let reading = ends[0]
        let read = Task { await waiting.read(from: reading) }
        _ = await other.note(1)
        let onLoop = await Task { @LoopActor in 2 }.value
        #expect(onLoop == 2)
        #expect(write(ends[1], "x", 1) == 1)
        #expect(await read.value == 1)
    }

    @Test func erasedBytesAreGone() {
        var bytes = [UInt8](repeating: 0x61, count: 64)
        ProcessMemory.erase(&bytes)
        #expect(bytes.isEmpty)
        ProcessMemory.erase(&bytes)
        #expect(bytes.isEmpty)
    }
}
