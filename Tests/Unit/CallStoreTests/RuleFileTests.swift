// The file of the user's rules: an added rule is an added line.

import CallDirectory
import CallModel
import EventLoop
import Foundation
import Glibc
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

    /// Two sessions of a user change the rules at one moment.
    @Test func twoSessionsLoseNoRule() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (one, other) = (directories(), directories())
        var expected: Set<String> = []
        for round in 1_000..<1_060 {
            // Whether it is known there by now is left to chance.
            let removed = round % 3 == 0 ? expected.min() ?? "1" : "1"
            async let adds = change(one, \.blocked, "\(round)")
            async let addsToo = change(other, \.blocked, "2\(round)")
            async let removes = change(one, \.blocked, removed, adding: false)
            let (isAdded, isAddedToo, isRemoved) = try await (adds, addsToo, removes)
            #expect(isAdded && isAddedToo)
            if isRemoved { expected.remove(removed) }
            expected.formUnion(["\(round)", "2\(round)"])
            #expect(Set(directories().rules.blocked.texts) == expected)
        }
        for session in [one, other] {
            while Set(session.rules.blocked.texts) != expected { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    /// A session that hangs while it writes the rules, or anybody who may read the folder, makes nobody wait for long.
    @Test func aSessionThatHangsIsNotAwaited() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let directories = directories()
        _ = try await change(directories, \.blocked, "1")
        let held = open(folder + "/directory", O_RDONLY | O_DIRECTORY)
        #expect(flock(held, LOCK_EX) == 0)
        #expect(try await change(directories, \.blocked, "2"))
        #expect(try contents().hasSuffix("block 1\nblock 2\n"))
        close(held)
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
        #expect(again.trouble.contains(path))
        #expect(try contents().hasSuffix("block +46"), "nothing is written before something changes")
        _ = try await change(again, \.blocked, "2")
        #expect(try contents().hasSuffix("\nblock 1\nblock 2\n"))
        #expect(try String(contentsOfFile: path + ".damaged", encoding: .utf8).hasSuffix("block +46"))
        _ = try await change(again, \.blocked, "3")
        #expect(!FileManager.default.fileExists(atPath: path + ".damaged-2"), "it is set aside once")
    }

    /// Who is blocked is unknown then, and stays as it is.
    @Test(arguments: ["folder", "large", "link"]) func anUnreadableFileIsNoEmptyOne(kind: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await change(directories(), \.blocked, "1")
        let kept = path + ".kept"
        try FileManager.default.moveItem(atPath: path, toPath: kept)
        switch kind {
        case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "large":
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(truncate(path, 1 << 30) == 0)
        default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
        }
        let before = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        let again = directories()
        #expect(again.trouble.hasPrefix("\(path) cannot be read: "))
        for list: Directories.List in [\.blocked, \.allowed] {
            for adding in [true, false] {
                let error = await #expect(throws: CallError.self) {
                    try await change(again, list, "1", adding: adding)
                }
                #expect(error?.code == .storeUnavailable && error?.message.contains(path) == true)
            }
        }
        #expect(throws: CallError.self) { try again.requireRules() }
        again.files.finish()
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == before)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: kept, toPath: path)
        #expect(directories().rules.blocked.texts == ["1"])
    }

    /// A directory is enabled if that can be read, whatever is wrong with the rest.
    @Test func recordsAreReadAsFarAsTheyCanBe() {
        let load = #"{"at": 1, "duration": 2, "isIncremental": false, "error": "", "message": ""}"#
        let whole = #"{"A": {"isEnabled": true, "load": \#(load)}, "B": {"isEnabled": false}}"#
        #expect(ExtensionRecord.read(Array(whole.utf8)).isSound)
        let damaged = #"{"A": {"isEnabled": true, "load": {"at": "x"}}, "B": 1, "C": {"isEnabled": true}}"#
        let (records, isSound) = ExtensionRecord.read(Array(damaged.utf8))
        #expect(records == ["A": ExtensionRecord(isEnabled: true), "C": ExtensionRecord(isEnabled: true)] && !isSound)
        let cut = ExtensionRecord.read(Array(whole.utf8.dropLast(3)))
        #expect(cut.0.isEmpty && !cut.isSound)
    }
}
