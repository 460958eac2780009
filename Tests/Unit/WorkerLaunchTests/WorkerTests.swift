// callkit-worker: its refusals, and what a plugin finds.

import CallModel
import EventLoop
import Files
import Glibc
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite(.timeLimit(.minutes(15))) @LoopActor struct WorkerTests {
    nonisolated private static let build = ProcessEnvironment.executableFolder
    nonisolated private static let probe = build + "/libWorkerProbe.so"
    nonisolated private static let program = build + "/callkit-worker"

    /// One run of the worker: its exit status, its output and its report.
    private struct Outcome: Sendable {
        let status: EventLoop.ExitStatus
        let errors: String
        let report: SandboxReport?
    }

    private func run(
        _ arguments: [String], descriptors: [Int32: Int32] = [:], policy: [UInt8] = Array("demand\tnone\n".utf8)
    ) async throws -> Outcome {
        var errors: [Int32] = [0, 0]
        try #require(pipe(&errors) == 0)
        defer { close(errors[0]) }
        let inbox = Inbox<EventLoop.ExitStatus>()
        let channel = try PolicyChannel()
        try #require(channel.send(policy))
        do {
            defer { close(errors[1]) }
            let mapped = [2: errors[1], 5: channel.workerEnd].merging(descriptors) { $1 }
            _ = try ChildProcess.spawn(Self.program, arguments, descriptors: mapped) { inbox.put($0) }
        }
        channel.closeWorkerEnd()
        return Outcome(status: try await inbox.next(), errors: read(errors[0]), report: channel.report)
    }

    /// Lets the worker load `library` under the name `path`.
    private func load(
        _ library: String, as path: String? = nil, link: Int32, policy: [UInt8] = Array("demand\tnone\n".utf8)
    ) async throws -> Outcome {
        let file = try FileReader(library)
        defer { withExtendedLifetime(file) {} }
        return try await run(
            ["3", "4", "5", path ?? library], descriptors: [3: link, 4: file.descriptor], policy: policy)
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

    private func expectRefusal(
        _ status: Int32, naming text: String, of library: String, as path: String? = nil,
        policy: String = "demand\tnone\n"
    ) async throws {
        let link = try link()
        defer { close(link.host); close(link.worker) }
        let outcome = try await load(library, as: path, link: link.worker, policy: Array(policy.utf8))
        #expect(outcome.status == .exited(status), "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("callkit-worker: "))
        #expect(outcome.errors.contains(text), "\(outcome.errors)")
        #expect(outcome.errors.utf8.count <= 512)
        #expect(outcome.errors.utf8.count { $0 == UInt8(ascii: "\n") } == 1 && outcome.errors.hasSuffix("\n"))
    }

    @Test func usage() async throws {
        for arguments in [
            [], ["3"], ["3", "4", "5"], ["3", "4", "5", "/a.so", "x"], ["3", "4", "5", "/a.so", "directory", "6"],
            ["2", "4", "5", "/a.so"], ["3", "2", "5", "/a.so"], ["3", "4", "2", "/a.so"], ["x", "4", "5", "/a.so"],
            ["3x", "4", "5", "/a.so"], ["3", "-4", "5", "/a.so"], ["3", "", "5", "/a.so"], ["3", "3", "5", "/a.so"],
            ["5", "4", "5", "/a.so"],
        ] {
            let outcome = try await run(arguments)
            #expect(outcome.status == .exited(64), "\(arguments)")
            #expect(!outcome.errors.isEmpty)
        }
        let errors = try await run(["3", "4", "5", "/a.so"]).errors
        #expect(errors == "callkit-worker: link descriptor 3: Bad file descriptor\n")
        try await expectRefusal(64, naming: "expected an absolute file name", of: Self.probe, as: "libm.so.6")
    }

    @Test func textFile() async throws {
        let folder = try TemporaryFolder()
        try folder.write("I am no shared object\n", to: "A.so")
        try await expectRefusal(65, naming: "A.so", of: folder.file("A.so"))
    }

    @Test func longAndUglyName() async throws {
        let folder = try TemporaryFolder()
        try folder.write("I am no shared object\n", to: "A.so")
        let name = String(repeating: "a\n\u{1B}[31m", count: 300)
        try await expectRefusal(65, naming: "/nonexistent/a  [31m", of: folder.file("A.so"), as: "/nonexistent/" + name)
    }

    @Test func noEntry() async throws {
        // A library without an entry: the C library of this process.
        let maps = try String(decoding: FileReader("/proc/self/maps").bytes(at: 0, count: 1 << 20), as: UTF8.self)
        let line = try #require(maps.split(separator: "\n").first { $0.hasSuffix("/libc.so.6") })
        let path = try #require(line.firstIndex(of: "/").map { String(line[$0...]) })
        try await expectRefusal(66, naming: "no entry opencallkit_plugin_main", of: path)
    }

    /// Without a policy that is understood, the plugin is not loaded.
    @Test(arguments: [
        "", "\n", "network\n", "demand\n", "demand\tsome\n", "demand full\n", "demand\tnone", "demand\tnone\nfly\n",
        "demand\tnone\n\n", "demand\tfull\nread\n", "demand\tfull\nread\trelative\n",
        "demand\tfull\nlimit\tmemory\tx\n",
        "demand\tfull\nwithout\teverything\n", "demand\tfull\n\0\n",
    ])
    func invalidPolicy(policy: String) async throws {
        let notConfined = ProgramExit.notConfined.rawValue
        try await expectRefusal(notConfined, naming: "callkit-worker: ", of: Self.probe, policy: policy)
    }

    @Test func policyThatIsTooLong() async throws {
        let line = "read\t/" + String(repeating: "x", count: 1_000) + "\n"
        let policy = "demand\tsyscalls\n" + String(repeating: line, count: 66)
        #expect(policy.utf8.count > SandboxPolicy.maximumSize)
        try await expectRefusal(ProgramExit.notConfined.rawValue, naming: "policy", of: Self.probe, policy: policy)
    }

    @Test func lessThanIsDemanded() async throws {
        let link = try link()
        defer { close(link.host); close(link.worker) }
        for (without, demand) in [("namespaces", "full"), ("landlock\nwithout\tnamespaces", "landlock")] {
            let policy = "demand\t\(demand)\nwithout\t\(without)\n"
            let outcome = try await load(Self.probe, link: link.worker, policy: Array(policy.utf8))
            #expect(outcome.status == .exited(ProgramExit.notConfined.rawValue))
            #expect(outcome.errors.contains("'\(demand)'"))
            #expect(try #require(outcome.report).level < #require(SandboxLevel(rawValue: demand)))
        }
    }

    /// The probe's own words, in a worker that is not confined and at each level of confinement.
    @Test(arguments: SandboxLevel.allCases)
    func whatThePluginFinds(level: SandboxLevel) async throws {
        let link = try link()
        defer { close(link.host) }
        let leak = open("/dev/null", O_RDWR | O_CLOEXEC)
        try #require(leak >= 0)
        defer { close(leak) }
        let file = try FileReader(Self.probe)
        let outcome = try await run(
            ["7", "4", "5", Self.probe],
            descriptors: [3: leak, 4: file.descriptor, 6: leak, 7: link.worker, 300: leak, 999: leak],
            policy: try policy(level).text)
        close(link.worker)
        #expect(outcome.status == .exited(42), "\(outcome.errors)")
        #expect(outcome.errors == "")
        let report = try #require(outcome.report)
        // A machine may lack what a level takes: then the next one counts, and the report tells which step failed.
        #expect(report.level <= level)
        #expect(report.level == level || !report.failures.isEmpty)
        #expect(report.hasGuard == (level == .none))
        #expect(
            read(link.host).split(separator: "\n") == [
                "descriptors 0 1 2 4 7", "close-on-exec 1", "no-new-privileges 1", "core 0", "death-signal 9",
                "blocked 0",
                "ignored 0", "backtrace enable=no", "swift-runtime 0",
            ])
    }

    private func policy(_ level: SandboxLevel) throws -> SandboxPolicy {
        let without: Set<SimulatedKernel.Feature> =
            switch level {
            case .none, .full: []
            case .landlock: [.namespaces]
            case .syscalls: [.namespaces, .landlock]
            }
        return try SandboxPolicy(
            for: SandboxedPlugin(library: Self.probe, bundle: "", runPath: ""), granted: [],
            storage: PluginStorage(state: "/nonexistent/state", cache: "/nonexistent/cache"),
            resources: SandboxResources(of: [], environment: [:]), environment: [:], worker: Self.program,
            demand: min(level, .syscalls), kernel: SimulatedKernel(without: without))
    }

    @Test func hostThatIsGone() async throws {
        let link = try link()
        close(link.host)
        defer { close(link.worker) }
        let outcome = try await load(Self.probe, link: link.worker)
        #expect(outcome.status == .exited(67))
        #expect(outcome.errors == "callkit-worker: the host is gone\n")
    }

    /// The death signal: a killed host ends its workers, even one that does not read its link.
    @Test(arguments: [SandboxLevel.none, .full])
    func workerDiesWithItsHost(level: SandboxLevel) async throws {
        let link = try link()
        defer { close(link.host) }
        try #require(send(link.host, "wait", 4, 0) == 4)
        let inbox = Inbox<EventLoop.ExitStatus>()
        let channel = try PolicyChannel()
        try #require(channel.send(try policy(level).text))
        let file = try FileReader(Self.probe)
        // The shell is the host. It keeps the worker's end open itself, so only the signal reports its death.
        let script = "\"$0\" 3 4 5 \"$1\" <&0 & wait"
        let host = try ChildProcess.spawn(
            "/bin/sh", ["-c", script, Self.program, Self.probe],
            descriptors: [3: link.worker, 4: file.descriptor, 5: channel.workerEnd]
        ) { inbox.put($0) }
        close(link.worker)
        let readiness = Inbox<Readiness>()
        var watch: FileWatch?
        watch = try FileWatch(link.host, .readable) {
            watch?.events = []
            if $0.contains(.hangUp) { watch?.cancel() }
            readiness.put($0)
        }
        _ = try await readiness.next { $0.contains(.readable) }
        #expect(read(link.host).contains("death-signal 9"))
        #expect(host.kill(SIGKILL))
        #expect(try await inbox.next() == .signalled(SIGKILL))
        // POLLHUP: no process has the worker's end open.
        _ = try await readiness.next { $0.contains(.hangUp) }
    }
}
