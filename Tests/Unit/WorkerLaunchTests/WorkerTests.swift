// callkit-worker: its refusals, and the environment of a plugin.

import EventLoop
import Files
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) @LoopActor struct WorkerTests {
    nonisolated private static let build = ProcessEnvironment.executableFolder
    nonisolated private static let probe = build + "/libWorkerProbe.so"

    /// One run of the worker: its exit status and its output.
    private struct Outcome: Sendable {
        let status: EventLoop.ExitStatus
        let errors: String
    }

    private func run(_ arguments: [String], descriptors: [Int32: Int32] = [:]) async throws -> Outcome {
        var errors: [Int32] = [0, 0]
        try #require(pipe(&errors) == 0)
        defer { close(errors[0]) }
        let inbox = Inbox<EventLoop.ExitStatus>()
        do {
            defer { close(errors[1]) }
            let mapped = descriptors.merging([2: errors[1]]) { $1 }
            _ = try ChildProcess.spawn(Self.build + "/callkit-worker", arguments, descriptors: mapped) { inbox.put($0) }
        }
        return Outcome(status: try await inbox.next(), errors: read(errors[0]))
    }

    /// The two ends of a link; both are the test's to close.
    private func link() throws -> (host: Int32, worker: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    private func read(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    private func expectRefusal(_ status: Int32, naming text: String, of path: String) async throws {
        let link = try link()
        defer { close(link.host); close(link.worker) }
        let outcome = try await run(["3", path], descriptors: [3: link.worker])
        #expect(outcome.status == .exited(status))
        #expect(outcome.errors.hasPrefix("callkit-worker: "))
        #expect(outcome.errors.contains(text))
        #expect(outcome.errors.utf8.count <= 512)
        #expect(outcome.errors.utf8.count { $0 == UInt8(ascii: "\n") } == 1 && outcome.errors.hasSuffix("\n"))
    }

    @Test func usage() async throws {
        for arguments in [
            [], ["3"], ["3", "/a.so", "x"], ["2", "/a.so"], ["x", "/a.so"], ["3x", "/a.so"], ["-4", "/a.so"],
        ] {
            let outcome = try await run(arguments)
            #expect(outcome.status == .exited(64), "\(arguments)")
            #expect(!outcome.errors.isEmpty)
        }
        #expect(try await run(["3", "/a.so"]).errors == "callkit-worker: link descriptor 3: Bad file descriptor\n")
        try await expectRefusal(64, naming: "expected an absolute file name", of: "libm.so.6")
    }

    @Test func missingFile() async throws {
        try await expectRefusal(65, naming: "No such file", of: "/nonexistent/A.so")
    }

    @Test func textFile() async throws {
        let folder = try TemporaryFolder()
        try folder.write("I am no shared object\n", to: "A.so")
        try await expectRefusal(65, naming: "A.so", of: folder.file("A.so"))
    }

    @Test func longAndUglyName() async throws {
        let name = String(repeating: "a\n\u{1B}[31m", count: 300)
        try await expectRefusal(65, naming: "/nonexistent/a  [31m", of: "/nonexistent/" + name)
    }

    @Test func noEntry() async throws {
        // A library without an entry: the C library of this process.
        let maps = try String(decoding: FileReader("/proc/self/maps").bytes(at: 0, count: 1 << 20), as: UTF8.self)
        let line = try #require(maps.split(separator: "\n").first { $0.hasSuffix("/libc.so.6") })
        let path = try #require(line.firstIndex(of: "/").map { String(line[$0...]) })
        try await expectRefusal(66, naming: "no entry opencallkit_plugin_main", of: path)
    }

    @Test func whatThePluginFinds() async throws {
        let link = try link()
        defer { close(link.host) }
        let leak = open("/dev/null", O_RDWR | O_CLOEXEC)
        try #require(leak >= 0)
        defer { close(leak) }
        let outcome = try await run(
            ["5", Self.probe], descriptors: [3: leak, 4: leak, 5: link.worker, 6: leak, 300: leak, 999: leak])
        close(link.worker)
        #expect(outcome.status == .exited(42))
        #expect(outcome.errors == "")
        #expect(
            read(link.host).split(separator: "\n") == [
                "descriptors 0 1 2 5", "close-on-exec 1", "no-new-privileges 1", "core 0", "death-signal 9",
                "blocked 0",
                "ignored 0", "backtrace enable=no", "swift-runtime 0",
            ])
    }

    @Test func hostThatIsGone() async throws {
        let link = try link()
        close(link.host)
        defer { close(link.worker) }
        let outcome = try await run(["3", Self.probe], descriptors: [3: link.worker])
        #expect(outcome.status == .exited(67))
        #expect(outcome.errors == "callkit-worker: the host is gone\n")
    }

    /// The death signal: a killed host ends its workers, even one that does not read its link.
    @Test func workerDiesWithItsHost() async throws {
        let link = try link()
        defer { close(link.host) }
        try #require(send(link.host, "wait", 4, 0) == 4)
        let inbox = Inbox<EventLoop.ExitStatus>()
        // The shell is the host. It keeps the worker's end open itself, so only the signal reports its death.
        let script = "\"$0\" 3 \"$1\" <&0 & wait"
        let host = try ChildProcess.spawn(
            "/bin/sh", ["-c", script, Self.build + "/callkit-worker", Self.probe], descriptors: [3: link.worker]
        ) { inbox.put($0) }
        close(link.worker)
        let readiness = Inbox<Readiness>()
        let watch = try FileWatch(link.host, .readable) { readiness.put($0) }
        _ = try await readiness.next { $0.contains(.readable) }
        #expect(read(link.host).contains("death-signal 9"))
        #expect(host.kill(SIGKILL))
        #expect(try await inbox.next() == .signalled(SIGKILL))
        // POLLHUP: no process has the worker's end open.
        _ = try await readiness.next { $0.contains(.hangUp) }
        watch.cancel()
    }
}
