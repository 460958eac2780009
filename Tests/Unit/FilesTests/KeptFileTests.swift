// Files that are never taken for empty ones.

import EventLoop
import Foundation
import Glibc
import Testing

@testable import Files

@Suite struct KeptFileTests {
    private let folder = NSTemporaryDirectory() + "opencallkit-kept-\(UUID().uuidString)"
    private var path: String { folder + "/file" }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func aFileThatIsMissingIsMade() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var file = KeptFile(path, longest: 10)
        let nothing = try file.read()
        #expect(nothing == nil)
        try file.replace(with: Array("one".utf8))
        let one = try file.read()
        #expect(one == Array("one".utf8))
        try file.replace(with: Array("two".utf8))
        #expect(try text(path) == "two" && file.copy == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
    }

    /// Each copy has a name of its own, so that no second damage replaces the first.
    @Test func whatIsDamagedIsSetAsideOnce() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (number, name) in ["file.damaged", "file.damaged-2", "file.damaged-3"].enumerated() {
            try FileWriter.makeFolder(folder)
            try FileWriter.replace(path, with: Array("damaged \(number)".utf8))
            var file = KeptFile(path, longest: 100)
            _ = try file.read()
            file.noteDamage()
            try file.replace(with: Array("one".utf8))
            try file.replace(with: Array("two".utf8))
            #expect(file.copy == "\(folder)/\(name)")
            #expect(try text(path) == "two")
            #expect(try text("\(folder)/\(name)") == "damaged \(number)")
        }
    }

    @Test(arguments: ["folder", "fifo", "large", "link"]) func whatCannotBeReadIsNotReplaced(kind: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileWriter.makeFolder(folder)
        switch kind {
        case "folder": #expect(mkdir(path, 0o700) == 0)
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        case "large":
            try FileWriter.replace(path, with: [])
            #expect(truncate(path, 1 << 30) == 0)
        default: #expect(symlink("nowhere", path) == 0)
        }
        var file = KeptFile(path, longest: 1 << 20)
        let error = try #require(#expect(throws: SystemError.self) { try file.read() })
        let expected = [
            "folder": "open: not a regular file", "fifo": "open: not a regular file",
            "large": "read: file too large", "link": "stat: no such file or directory",
        ]
        #expect(error.description == expected[kind])
        #expect(throws: error) { try file.replace(with: Array("one".utf8)) }
        #expect(throws: error) { try file.remove() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        // Once it is gone, there is nothing to lose.
        #expect(remove(path) == 0)
        try file.replace(with: Array("one".utf8))
        let one = try file.read()
        #expect(one == Array("one".utf8) && file.obstacle == nil)
    }

    @Test func whatIsDamagedIsNotRemoved() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileWriter.makeFolder(folder)
        try FileWriter.replace(path, with: Array("one".utf8))
        var file = KeptFile(path, longest: 10)
        file.noteDamage()
        try file.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file.damaged"])
        try file.replace(with: Array("two".utf8))
        try file.remove()
        try file.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file.damaged"])
    }
}
