// A worker that is started, spoken to over its link, and asked to go.

import CallModel
import DBus
import EventLoop
import Glibc
import TestSupport
import Testing
import WorkerLaunch

@Suite(.timeLimit(.minutes(15))) @LoopActor struct LinkedProcessTests {
    nonisolated private static let build = ProcessEnvironment.executableFolder

    private func start(_ plugin: String, onExit: Inbox<EventLoop.ExitStatus>) throws -> LinkedProcess {
        try LinkedProcess(
            loading: "\(Self.build)/lib\(plugin).so", worker: Self.build + "/callkit-worker",
            environment: ProcessEnvironment.current
        ) { process, status in
            #expect(!process.link.isOpen)
            onExit.put(status)
        }
    }

    @Test func saysHelloAndGoesWhenAsked() async throws {
        let exits = Inbox<EventLoop.ExitStatus>()
        let process = try start("SmallestPlugin", onExit: exits)
        let calls = Inbox<String>()
        process.link.onCall = { calls.put($0.member ?? "") }
        #expect(try await calls.next() == "Hello")
        #expect(process.pid > 0)
        process.stop()
        process.stop()
        // By itself, with the status of one whose Hello was not answered.
        #expect(try await exits.next() == .exited(2))
        process.kill()
        #expect(exits.pending.isEmpty)
    }

    @Test func goesAtOnceWhenKilled() async throws {
        let exits = Inbox<EventLoop.ExitStatus>()
        let process = try start("SmallestPlugin", onExit: exits)
        process.kill()
        #expect(!process.link.isOpen)
        #expect(try await exits.next() == .signalled(SIGKILL))
    }

    @Test func lendsItsOutput() async throws {
        var pipe: [Int32] = [0, 0]
        try #require(Glibc.pipe(&pipe) == 0)
        defer { close(pipe[0]) }
        let exits = Inbox<EventLoop.ExitStatus>()
        do {
            defer { close(pipe[1]) }
            _ = try LinkedProcess(
                loading: "/etc/passwd", worker: Self.build + "/callkit-worker", environment: [:],
                output: pipe[1]
            ) { exits.put($1) }
        }
        #expect(try await exits.next() == .exited(ProgramExit.notLoaded.rawValue))
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(pipe[0], &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("invalid ELF header"))
    }

    @Test func withoutALibrary() {
        let missing = PluginFileError.unreadable(SystemError(call: "stat", code: ENOENT))
        #expect(throws: missing) {
            try LinkedProcess(
                loading: "/nonexistent/A.so", worker: Self.build + "/callkit-worker", environment: [:]
            ) { _, _ in }
        }
    }

    @Test func withoutAWorker() {
        #expect(throws: SystemError.self) {
            try LinkedProcess(loading: "/etc/passwd", worker: "/nonexistent/worker", environment: [:]) { _, _ in }
        }
    }
}
