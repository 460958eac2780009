// The report of a worker, and the channel that it comes by.

import CallModel
import EventLoop
import Glibc
import Testing

@testable import WorkerLaunch

@Suite struct SandboxReportTests {
    private func report(_ text: String) -> SandboxReport? { SandboxReport(Array(text.utf8)) }

    @Test func whole() throws {
        let report = try #require(
            self.report(
                "level\tlandlock\ngap\tthreads\ngap\tfile-names\nfailed\tmounts\tEPERM\n"
                    + "landlock\t6\nmissing\t/x y\nguard\n"
            ))
        #expect(report.level == .landlock)
        #expect(report.gaps == ["file-names", "threads"])
        #expect(report.failures == ["mounts EPERM"])
        #expect(report.landlock == 6)
        #expect(report.missing == ["/x y"])
        #expect(report.hasGuard && report.denied.isEmpty)
    }

    @Test(arguments: [
        "", "level\tfull", "level\n", "level\tFull\n", "level\tfull\tmore\n", "level full more\n", "levelfull\n",
        "gap\tlevel\n", "\n\n", "\t\n",
    ])
    func withoutALevel(text: String) { #expect(report(text) == nil) }

    /// As callkit-worker writes it.
    @Test func blanks() throws {
        let report = try #require(
            self.report("level syscalls\nfailed landlock ENOSYS\ngap file-contents\nmissing /a b\n"))
        #expect(report.level == .syscalls && report.failures == ["landlock ENOSYS"])
        #expect(report.gaps == ["file-contents"] && report.missing == ["/a b"] && !report.hasGuard)
    }

    @Test func lessIsBelieved() {
        #expect(report("level\tfull\nlevel\tnone\n")?.level == SandboxLevel.none)
        // A line that has not come whole says nothing yet.
        #expect(report("level\tfull\nguard")?.hasGuard == false)
    }

    @Test func bounded() throws {
        let long = String(repeating: "x", count: 10_000)
        let lines = (0..<1_000).map { "denied\t\($0)\u{1B}\(long)\n" }.joined()
        let report = try #require(self.report("level\tfull\n\(lines)"))
        #expect(report.denied.count == 64)
        #expect(report.denied.allSatisfy { $0.count <= 256 && !$0.contains("\u{1B}") })
    }

    @Test func anyBytes() {
        var generator = Random(seed: 7)
        for _ in 0..<20_000 {
            var bytes = Array("level\tfull\ngap\tthreads\nlandlock\t7\n".utf8)
            for _ in 0..<4 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0 ... .max, using: &generator)
            }
            if let report = SandboxReport(bytes) { #expect(SandboxLevel.allCases.contains(report.level)) }
        }
    }

    @Test func channel() throws {
        let channel = try PolicyChannel()
        let policy = [UInt8](repeating: UInt8(ascii: "x"), count: SandboxPolicy.maximumSize)
        // The longest policy goes without anybody reading.
        #expect(channel.send(policy))
        #expect(channel.report == nil)
        let end = fcntl(channel.workerEnd, F_DUPFD_CLOEXEC, 0)
        channel.closeWorkerEnd()
        var received: [UInt8] = []
        var portion = [UInt8](repeating: 0, count: 10_000)
        while case let count = read(end, &portion, portion.count), count > 0 { received += portion[..<count] }
        #expect(received == policy)
        #expect(write(end, "level\tfu", 8) == 8)
        #expect(channel.report == nil)
        #expect(write(end, "ll\n", 3) == 3)
        #expect(channel.report?.level == .full)
        close(end)
        #expect(channel.report?.level == .full)
    }

    @Test func workerThatIsGone() throws {
        let channel = try PolicyChannel()
        channel.closeWorkerEnd()
        #expect(!channel.send([1, 2, 3]))
        #expect(channel.report == nil)
    }

    /// More than a report can have is not kept.
    @Test func flood() throws {
        let channel = try PolicyChannel()
        let end = fcntl(channel.workerEnd, F_DUPFD_CLOEXEC, 0)
        defer { close(end) }
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        #expect(write(end, "level\tfull\n", 11) == 11)
        let flood = [UInt8](repeating: 10, count: 4_096)
        var total = 0
        for _ in 0..<1_000 where write(end, flood, flood.count) > 0 {
            total += flood.count
            #expect(channel.report?.level == .full)
        }
        #expect(total < 1 << 20)
    }
}
