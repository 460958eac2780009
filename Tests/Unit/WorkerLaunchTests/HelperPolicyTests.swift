// What a hostile file gets out of the program that reads it: attempts of a process that is confined by the very
// policies of callkit-contacts and callkit-store.

import CallModel
import EventLoop
import Files
import Foundation
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite(.timeLimit(.minutes(15))) struct HelperPolicyTests {
    private let folder: TemporaryFolder
    /// What the policies name.
    private var inside: String { "\(folder.path)/inside" }
    private var outside: String { "\(folder.path)/outside" }

    init() throws {
        folder = try TemporaryFolder()
        try FileWriter.makeFolder(inside + "/plugins")
        try FileWriter.makeFolder(outside)
    }

    /// Each attempt by its name here: the word of the program Confined, and a path.
    private var attempts: KeyValuePairs<String, String> {
        [
            "read inside": "read=\(inside)/card", "list inside": "list=\(inside)",
            "append inside": "append=\(inside)/card",
            "create inside": "create=\(inside)/new", "create a plugin": "create=\(inside)/plugins/new",
            "rename the plugins": "rename=\(inside)/plugins", "read outside": "read=\(outside)/secret",
            "list outside": "list=\(outside)", "stat outside": "stat=\(outside)/secret",
            "append outside": "append=\(outside)/secret", "create outside": "create=\(outside)/new",
            "make a folder outside": "make-folder=\(outside)/folder", "delete outside": "delete=\(outside)/other",
            "shorten outside": "shorten=\(outside)/secret", "mode outside": "mode=\(outside)/secret",
            "times outside": "times=\(outside)/secret", "attribute outside": "attribute=\(outside)/secret",
            "watch outside": "watch=\(outside)", "read by the root": "read-by-root=\(outside)/secret",
            "append by the root": "append-by-root=\(outside)/secret",
            // A link inside, which the first one makes if it can, does not lead out.
            "link inside": "link=\(inside)/link", "append by a link": "append=\(inside)/link\(outside)/secret",
            "memory of the parent": "parent-memory", "environment of the parent": "parent-environment",
            "files of the parent": "parent-root=\(outside)/secret", "trace the parent": "trace-parent",
            "read the parent": "read-parent", "start a program": "start-program", "internet": "internet",
            "datagrams": "datagrams", "routes": "routes", "connect": "connect=\(outside)/socket", "pair": "pair",
            "remount": "remount=/", "mount": "mount-over=/tmp", "change the root": "change-root=/",
            "write in a namespace": "write-in-namespace=\(outside)/secret",
            "a worker in a sandbox": "nested=\(outside)/worker",
            "namespaces": "namespaces", "rings": "rings", "programs of the kernel": "programs-of-kernel",
            "keys": "keys",
            "counters": "counters", "faults": "faults",
        ]
    }

    private struct Outcome {
        let report: SandboxReport
        let done: Set<String>
    }

    /// Lets a process that is confined by the policy attempt everything.
    private func attack(_ policy: HelperPolicy, asUser user: Int? = nil) throws -> Outcome {
        for (path, text) in [("\(inside)/card", "c"), ("\(outside)/secret", "s"), ("\(outside)/other", "o")] {
            try FileWriter.replace(path, with: Array(text.utf8))
        }
        let worker = try HelperPolicy.reader(of: [inside])
        try FileWriter.replace("\(outside)/worker", with: worker.text)
        try FileWriter.replace("\(outside)/policy", with: policy.text)
        // A copy that another user can start: the folder of the build may be closed to that user.
        let program = "\(folder.path)/Confined"
        try FileManager.default.copyItem(atPath: "\(ProcessEnvironment.executableFolder)/Confined", toPath: program)
        var words = [program, "\(outside)/policy"] + attempts.map(\.value)
        if let user {
            let all = try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { "\(folder.path)/\($0)" }
            for path in [folder.path] + all { try #require(chown(path, uid_t(user), gid_t(user)) == 0) }
            words = ["/usr/bin/setpriv", "--reuid=\(user)", "--clear-groups"] + words
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let results = lines.suffix(attempts.count).map { $0.split(separator: " ")[1] }
        try #require(results.count == attempts.count && !results.contains("EDOM"))
        let done = zip(attempts, results).filter { $1 == "done" }.map(\.0.key)
        // No attempt that says it failed has had an effect.
        if !done.contains("append outside") {
            #expect(try String(contentsOfFile: "\(outside)/secret", encoding: .utf8) == "s")
        }
        if !done.contains("create outside") { #expect(!FileManager.default.fileExists(atPath: "\(outside)/new")) }
        return Outcome(report: try #require(SandboxReport(Array(text))), done: Set(done))
    }

    /// Ordinary users have no privileges to lose; root in tests has.
    private static let users: [Int?] = geteuid() == 0 ? [nil, 65_534] : [nil]

    /// A file that takes over the reader has the folders that it could read anyway, and nobody to tell of them.
    @Test(arguments: users) func reader(user: Int?) throws {
        let outcome = try attack(try .reader(of: [inside, "\(folder.path)/missing"]), asUser: user)
        #expect(outcome.report.level == .full)
        #expect(outcome.report.missing == ["\(folder.path)/missing"])
        #expect(outcome.done == ["read inside", "list inside", "pair"])
    }

    @Test(arguments: users) func readerWithoutNamespaces(user: Int?) throws {
        let policy = try HelperPolicy.reader(of: [inside], kernel: SimulatedKernel(without: [.namespaces]))
        let outcome = try attack(policy, asUser: user)
        #expect(outcome.report.level == .landlock)
        #expect(outcome.report.gaps.contains("file-names"))
        #expect(outcome.done == ["read inside", "list inside", "pair", "stat outside"])
    }

    @Test(arguments: users) func readerWithNothingButTheFilter(user: Int?) throws {
        let policy = try HelperPolicy.reader(
            of: [inside], kernel: SimulatedKernel(without: [.namespaces, .landlock]))
        let outcome = try attack(policy, asUser: user)
        #expect(outcome.report.level == .syscalls)
        #expect(outcome.report.gaps.contains("file-contents"))
        let kept = [
            "internet", "datagrams", "routes", "connect", "start a program", "trace the parent", "rings", "keys",
        ]
        #expect(outcome.done.isDisjoint(with: kept))
    }

    /// A file that takes over the store can read, but neither write elsewhere nor tell anybody. Its workers are
    /// confined as those of callkitd are.
    @Test(arguments: users) func keeper(user: Int?) throws {
        let outcome = try attack(try .writer(of: [inside], except: ["\(inside)/plugins"]), asUser: user)
        #expect(outcome.report.level == .full)
        #expect(
            outcome.done == [
                "read inside", "list inside", "append inside", "create inside", "link inside", "read outside",
                "list outside",
                "stat outside", "watch outside", "read by the root", "start a program", "pair", "a worker in a sandbox",
                "namespaces",
            ])
    }

    @Test(arguments: users) func keeperWithoutNamespaces(user: Int?) throws {
        let policy = try HelperPolicy.writer(of: [inside], kernel: SimulatedKernel(without: [.namespaces]))
        let outcome = try attack(policy, asUser: user)
        #expect(outcome.report.level == .landlock)
        let kept = [
            "append outside", "create outside", "make a folder outside", "delete outside", "shorten outside",
            "append by the root", "append by a link", "write in a namespace", "internet", "datagrams", "routes",
            "connect",
            "memory of the parent", "trace the parent", "read the parent", "mount", "remount", "change the root",
            "rings",
            "programs of the kernel", "keys", "counters", "faults",
        ]
        #expect(outcome.done.isDisjoint(with: kept), "\(outcome.done.intersection(kept))")
        #expect(outcome.done.isSuperset(of: ["append inside", "create inside", "pair"]))
    }

    @Test func namesThatNoPolicyCanHave() {
        for name in ["", "/a\tb", "/a\nb", "/a\0b"] {
            #expect(throws: (any Error).self) { try HelperPolicy.reader(of: [name]) }
            #expect(throws: (any Error).self) { try HelperPolicy.writer(of: [name]) }
        }
    }
}
