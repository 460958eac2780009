// A worker that is started, spoken to over its link, and asked to go.

import CallModel
import DBus
import EventLoop
import Files
import Glibc
import TestSupport
import Testing
import WorkerLaunch

@Suite(.timeLimit(.minutes(15))) @LoopActor struct LinkedProcessTests {
    nonisolated private static let build = ProcessEnvironment.executableFolder
    nonisolated private static let worker = build + "/callkit-worker"

    private let folder: TemporaryFolder
    private let storage: PluginStorage

    init() throws {
        folder = try TemporaryFolder()
        let path = try FileStatus.resolve(folder.path)
        storage = PluginStorage(state: "\(path)/state/A", cache: "\(path)/cache/A")
        try storage.prepare(for: .provider)
    }

    private func policy(of library: String, _ demand: SandboxLevel) throws -> SandboxPolicy {
        try SandboxPolicy(
            for: SandboxedPlugin(FileReader(library), library: library, bundle: ""), granted: [], storage: storage,
            resources: SandboxResources(of: [], environment: ProcessEnvironment.current),
            environment: ProcessEnvironment.current, worker: Self.worker, demand: demand)
    }

    private func start(
        _ plugin: String, _ demand: SandboxLevel, onExit: Inbox<EventLoop.ExitStatus>
    ) throws -> LinkedProcess {
        let library = "\(Self.build)/lib\(plugin).so"
        return try LinkedProcess(loading: library, worker: Self.worker, policy: policy(of: library, demand)) {
            process, status in
            #expect(!process.link.isOpen)
            onExit.put(status)
        }
    }

    @Test(arguments: [SandboxLevel.none, .syscalls])
    func saysHelloAndGoesWhenAsked(demand: SandboxLevel) async throws {
        let exits = Inbox<EventLoop.ExitStatus>()
        let process = try start("SmallestPlugin", demand, onExit: exits)
        let calls = Inbox<String>()
        process.link.onCall = { calls.put($0.member ?? "") }
        #expect(try await calls.next() == "Hello")
        #expect(process.pid > 0)
        let report = try #require(process.report)
        #expect(demand == .none ? report.level == .none : report.level >= demand)
        #expect(report.hasGuard == (demand == .none))
        #expect(report.missing.allSatisfy { !$0.hasPrefix(Self.build) && !$0.hasPrefix(folder.path) })
        process.stop()
        process.stop()
        // By itself, with the status of one whose Hello was not answered.
        #expect(try await exits.next() == .exited(2))
        #expect(process.report == report)
        process.kill()
        #expect(exits.pending.isEmpty)
    }

    @Test(arguments: [SandboxLevel.none, .syscalls])
    func goesAtOnceWhenKilled(demand: SandboxLevel) async throws {
        let exits = Inbox<EventLoop.ExitStatus>()
        let process = try start("SmallestPlugin", demand, onExit: exits)
        process.kill()
        #expect(!process.link.isOpen)
        #expect(try await exits.next() == .signalled(SIGKILL))
    }

    /// What is done with the process before it gets its policy comes before anything of the plugin.
    @Test func waitsForItsPolicy() async throws {
        let library = "\(Self.build)/libSmallestPlugin.so"
        let exits = Inbox<EventLoop.ExitStatus>()
        var told: (pid: Int32, children: Int)?
        let process = try LinkedProcess(
            loading: library, worker: Self.worker, policy: policy(of: library, .syscalls),
            beforePolicy: { pid in
                let folders = try? FolderListing.names(in: "/proc/\(pid)/task", limit: 9) { _ in true }
                told = (pid, folders?.count ?? 0)
            }
        ) { exits.put($1) }
        #expect(told?.pid == process.pid)
        #expect(told?.children == 1)
        process.kill()
        #expect(try await exits.next() == .signalled(SIGKILL))
    }

    @Test func isNotStartedWithoutTheSandbox() async throws {
        let library = "\(Self.build)/libSmallestPlugin.so"
        let exits = Inbox<EventLoop.ExitStatus>()
        let policy = try SandboxPolicy(
            for: SandboxedPlugin(FileReader(library), library: library, bundle: ""), granted: [], storage: storage,
            resources: SandboxResources(of: [], environment: [:]), environment: [:], worker: Self.worker,
            demand: .landlock, kernel: SimulatedKernel(without: [.namespaces, .landlock]))
        let process = try LinkedProcess(loading: library, worker: Self.worker, policy: policy) { exits.put($1) }
        #expect(try await exits.next() == .exited(ProgramExit.notConfined.rawValue))
        #expect(process.report?.level == .syscalls)
    }

    @Test(arguments: [SandboxLevel.none, .syscalls])
    func lendsItsOutput(demand: SandboxLevel) async throws {
        var pipe: [Int32] = [0, 0]
        try #require(Glibc.pipe(&pipe) == 0)
        defer { close(pipe[0]) }
        let exits = Inbox<EventLoop.ExitStatus>()
        do {
            defer { close(pipe[1]) }
            _ = try LinkedProcess(
                loading: "/etc/passwd", worker: Self.worker, policy: policy(of: "/etc/passwd", demand), output: pipe[1]
            ) { exits.put($1) }
        }
        #expect(try await exits.next() == .exited(ProgramExit.notLoaded.rawValue))
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(pipe[0], &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("invalid ELF header"))
    }

    @Test func withoutALibrary() throws {
        let missing = PluginFileError.unreadable(SystemError(call: "stat", code: ENOENT))
        let policy = try policy(of: "/etc/passwd", .syscalls)
        #expect(throws: missing) {
            try LinkedProcess(loading: "/nonexistent/A.so", worker: Self.worker, policy: policy) { _, _ in }
        }
    }

    @Test func withoutAWorker() throws {
        let policy = try policy(of: "/etc/passwd", .syscalls)
        #expect(throws: SystemError.self) {
            try LinkedProcess(loading: "/etc/passwd", worker: "/nonexistent/worker", policy: policy) { _, _ in }
        }
    }
}
