// The file of the user's rules: an added rule is an added line.

import CallDirectory
import CallModel
import EventLoop
import Foundation
import Logging
import Numbers
import Testing

@testable import CallStore

@Suite @LoopActor struct RuleFileTests {
    private let folder = NSTemporaryDirectory() + "opencallkit-rules-\(UUID().uuidString)"
    private var path: String { folder + "/directory/rules" }

    private func directories() -> Directories {
        let directories = Directories(
            folder: StoreFolder(folder), plan: NumberPlan(region: "SE"), environment: [:],
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        directories.start()
        return directories
    }

    private func change(
        _ directories: Directories, _ list: Directories.List, _ rule: String, adding: Bool = true
    ) async throws -> Bool {
        try await withCheckedContinuation { (done: CheckedContinuation<Result<Bool, CallError>, Never>) in
            do throws(CallError) {
                try directories.change(list, rule, adding: adding) { done.resume(returning: $0) }
            } catch {
                done.resume(returning: .failure(error))
            }
        }.get()
    }

    private func contents() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// Which file it is: one that is written again is another.
    private func number() throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    }

    /// The five hundredth rule costs what the second does: no addition writes the others.
    @Test func addingWritesNoOtherRule() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let directories = directories()
        #expect(try await change(directories, \.blocked, "1000"))
        let first = try number()
        for rule in 1_001..<1_500 {
            let before = try contents()
            #expect(try await change(directories, rule % 2 == 0 ? \.blocked : \.allowed, "\(rule)"))
            #expect(try contents() == before + "\(rule % 2 == 0 ? "block" : "allow") \(rule)\n")
        }
        #expect(try await !change(directories, \.blocked, "1000"), "it is there already")
        #expect(try number() == first)
        #expect(self.directories().rules == directories.rules && directories.rules.blocked.count == 250)
    }

    @Test func removingWritesTheRest() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let directories = directories()
        for rule in ["3", "1", "2"] { _ = try await change(directories, \.blocked, rule) }
        #expect(try await change(directories, \.blocked, "1", adding: false))
        #expect(try contents().hasSuffix("\nblock 2\nblock 3\n"))
        #expect(self.directories().rules == directories.rules)
    }

    /// A file that went away, became a link or lost the end of its last line is written as a whole.
    @Test func whatHappensToTheFileLosesNoRule() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let directories = directories()
        _ = try await change(directories, \.blocked, "1")
        try FileManager.default.removeItem(atPath: path)
        _ = try await change(directories, \.blocked, "2")
        #expect(self.directories().rules == directories.rules)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".other")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".other")
        _ = try await change(directories, \.blocked, "3")
        #expect(self.directories().rules == directories.rules)
        try Data("block 1\nblock 46".utf8).write(to: URL(fileURLWithPath: path))
        _ = try await change(directories, \.blocked, "4")
        #expect(self.directories().rules == directories.rules && directories.rules.blocked.count == 4)
    }

    /// A power cut may leave a part of the line that was being added. It is not taken for a rule.
    @Test func aCutLineIsNoRule() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await change(directories(), \.blocked, "1")
        try Data((contents() + "block +46").utf8).write(to: URL(fileURLWithPath: path))
        let again = directories()
        #expect(again.rules.blocked.texts == ["1"])
        again.files.finish()
        #expect(try contents().hasSuffix("\nblock 1\n"))
        #expect(try String(contentsOfFile: path + ".corrupt", encoding: .utf8).hasSuffix("block +46"))
    }
}
