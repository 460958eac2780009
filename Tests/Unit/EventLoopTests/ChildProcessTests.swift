// Children: how they end, what they inherit.

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite @LoopActor struct ChildProcessTests {
    nonisolated init() { Loop.shared.start() }

    @Test func exitCodeAndSignal() async throws {
        let inbox = Inbox<EventLoop.ExitStatus>()
        _ = try ChildProcess.spawn("/bin/sh", ["-c", "exit 7"]) { inbox.put($0) }
        #expect(try await inbox.next() == .exited(7))
        let child = try ChildProcess.spawn("/bin/sleep", ["100"]) { inbox.put($0) }
        #expect(child.kill(SIGTERM))
        #expect(try await inbox.next() == .signalled(SIGTERM))
        #expect(child.status == .signalled(SIGTERM))
        #expect(!child.kill(SIGTERM))
        #expect(Glibc.kill(child.pid, 0) == -1)
    }

    @Test func failuresAreErrors() {
        #expect(throws: SystemError(call: "posix_spawn", code: ENOENT)) {
            try ChildProcess.spawn("/nonexistent") { _ in }
        }
        #expect(throws: SystemError(call: "posix_spawn", code: EINVAL)) {
            try ChildProcess.spawn("/bin/echo", ["a\0b"]) { _ in }
        }
    }

    @Test func theChildGetsItsDescriptorsAndEnvironmentAndNothingElse() async throws {
        var output: [Int32] = [0, 0]
        var crossed: [Int32] = [0, 0]
        try #require(pipe(&output) == 0 && pipe(&crossed) == 0)
        let inbox = Inbox<EventLoop.ExitStatus>()
        // Sources and targets overlap on purpose: 5 is read from our output[1], 4 from crossed[1].
        _ = try ChildProcess.spawn(
            "/bin/sh", ["-c", "echo $A $HOME; ls /proc/self/fd | tr '\\n' ' '; echo x >&4"], environment: ["A": "1 2"],
            descriptors: [1: output[1], 4: crossed[1], 6: crossed[1]], onExit: { inbox.put($0) })
        #expect(try await inbox.next() == .exited(0))
        close(output[1])
        close(crossed[1])
        #expect(readAll(output[0]) == "1 2\n0 1 2 3 4 6 ")
        #expect(readAll(crossed[0]) == "x\n")
    }

    @Test func blockedSignalsAreNotInherited() async throws {
        SignalWatch.block([SIGUSR1, SIGTERM])
        let inbox = Inbox<EventLoop.ExitStatus>()
        var output: [Int32] = [0, 0]
        try #require(pipe(&output) == 0)
        _ = try ChildProcess.spawn(
            "/bin/grep", ["-E", "Sig(Blk|Ign)", "/proc/self/status"], descriptors: [1: output[1]], group: .session,
            onExit: { inbox.put($0) })
        close(output[1])
        #expect(try await inbox.next() == .exited(0))
        // Of 64 bits, those of signals 32 and 33 belong to the C library.
        let sets = readAll(output[0]).split(separator: "\n").map { UInt64($0.suffix(16), radix: 16) }
        #expect(sets.count == 2 && sets.allSatisfy { $0.map { $0 & ~0x1_8000_0000 } == 0 })
    }

    private func readAll(_ descriptor: Int32) -> String {
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        var text: [UInt8] = []
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 { text += bytes[..<count] }
        return String(decoding: text, as: UTF8.self)
    }
}
