// Signals arrive as events of the loop.

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite @LoopActor struct SignalWatchTests {
    nonisolated init() { Loop.shared.start() }

    @Test func aSignalIsAnEvent() async throws {
        let inbox = Inbox<Int32>()
        let watch = try SignalWatch([SIGUSR2]) { inbox.put($0) }
        pthread_kill(pthread_self(), SIGUSR2)
        #expect(try await inbox.next() == SIGUSR2)
        watch.cancel()
    }
}
