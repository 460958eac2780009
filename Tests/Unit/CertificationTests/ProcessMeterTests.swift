// What the kernel tells of a process: this one, and one that has led a session.

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Certification

@Suite(.timeLimit(.minutes(15))) @LoopActor struct ProcessMeterTests {
    @Test func thisProcess() throws {
        let meter = ProcessMeter(pid: getpid())
        let before = try #require(meter.descriptors)
        let opened = (0..<10).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        defer { for descriptor in opened { close(descriptor) } }
        // Other tests open and close files at the same time.
        #expect(try #require(meter.descriptors) > before)
        #expect(try #require(meter.memory) > 1 << 20)
    }

    @Test func nobody() {
        let meter = ProcessMeter(pid: -1)
        #expect(meter.memory == nil)
        #expect(meter.descriptors == nil)
        #expect(meter.session.isEmpty)
    }

    @Test func whoIsLeftOfASession() async throws {
        let exits = Inbox<EventLoop.ExitStatus>()
        let leader = try ChildProcess.spawn(
            "/bin/sh", ["-c", "sleep 1000 & exit 0"], descriptors: [:], group: .session
        ) { exits.put($0) }
        #expect(try await exits.next() == .exited(0))
        let left = ProcessMeter(pid: leader.pid).session
        #expect(left.count == 1)
        for process in left { ProcessMeter(pid: process).end() }
    }
}
