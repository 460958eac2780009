// Files: the plugin's own folders, and those of others.

import CheckingProvider
import Foundation
import OpenCallKit

enum FileChecks {
    static let all = [
        Check("home") { _ in try home() }, Check("folders") { _ in try folders() },
        Check("atomic-writes") { _ in try atomicWrites() }, Check("file-manager") { _ in try fileManager() },
        Check("file-handle") { _ in try fileHandle() }, Check("defaults") { _ in try defaults() },
        Check("resources") { _ in try resources() }, Check("read") { try read($0) }, Check("write") { try write($0) },
    ]

    private static let manager = FileManager.default

    /// All ways to ask for the home folder give the same, and it can be written.
    private static func home() throws -> String {
        let home = NSHomeDirectory()
        let variable = ProcessInfo.processInfo.environment["HOME"] ?? "none"
        try expect(home == variable, "NSHomeDirectory() is \(home), HOME \(variable)")
        let ofManager = manager.homeDirectoryForCurrentUser.path
        try expect(ofManager == home, "homeDirectoryForCurrentUser is \(ofManager), NSHomeDirectory() \(home)")
        try expect(manager.isWritableFile(atPath: home), "\(home) cannot be written")
        return home
    }

    private static func folders() throws -> String {
        let kinds: [FileManager.SearchPathDirectory] = [.applicationSupportDirectory, .cachesDirectory]
        var seen: [String] = []
        for kind in kinds {
            guard let path = NSSearchPathForDirectoriesInDomains(kind, .userDomainMask, true).first else {
                throw Unexpected("there is no folder of kind \(kind.rawValue)")
            }
            try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
            try keep("kept", in: URL(fileURLWithPath: path))
            seen.append(path)
        }
        try keep("kept", in: manager.temporaryDirectory)
        return (seen + [manager.temporaryDirectory.path]).joined(separator: " ")
    }

    private static func keep(_ text: String, in folder: URL) throws {
        let file = folder.appendingPathComponent("note.txt")
        try text.write(to: file, atomically: true, encoding: .utf8)
        let back = try String(contentsOf: file, encoding: .utf8)
        try expect(back == text, "\(file.path) has \(back)")
    }

    private static func atomicWrites() throws -> String {
        let file = manager.temporaryDirectory.appendingPathComponent("state.json")
        for count in 1...20 {
            try JSONEncoder().encode(["count": count]).write(to: file, options: .atomic)
            let back = try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: file))
            try expect(back == ["count": count], "\(back) after writing \(count)")
        }
        return file.path
    }

    private static func fileManager() throws -> String {
        let folder = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try manager.createDirectory(at: folder.appendingPathComponent("a/b"), withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        let (one, two) = (folder.appendingPathComponent("a/one"), folder.appendingPathComponent("a/b/two"))
        try Data([1, 2, 3]).write(to: one)
        try manager.copyItem(at: one, to: two)
        try manager.moveItem(at: two, to: folder.appendingPathComponent("a/b/three"))
        try manager.createSymbolicLink(at: folder.appendingPathComponent("link"), withDestinationURL: one)
        let names = manager.enumerator(atPath: folder.path)?.compactMap { $0 as? String }.sorted() ?? []
        try expect(names == ["a", "a/b", "a/b/three", "a/one", "link"], "the folder has \(names)")
        let attributes = try manager.attributesOfItem(atPath: one.path)
        try expect(attributes[.size] as? Int == 3, "the size is \(attributes[.size] ?? "unknown")")
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: one.path)
        return names.joined(separator: " ")
    }

    private static func fileHandle() throws -> String {
        let path = manager.temporaryDirectory.appendingPathComponent("handle").path
        try expect(manager.createFile(atPath: path, contents: nil), "\(path) cannot be created")
        guard let handle = FileHandle(forUpdatingAtPath: path) else { throw Unexpected("\(path) cannot be opened") }
        try handle.write(contentsOf: Data("abc".utf8))
        try handle.seek(toOffset: 1)
        let back = try handle.readToEnd() ?? Data()
        try handle.truncate(atOffset: 1)
        try handle.close()
        try expect(back == Data("bc".utf8), "read \(back.count) bytes")
        return path
    }

    /// What is kept survives the worker: each run counts on.
    private static func defaults() throws -> String {
        let defaults = UserDefaults.standard
        let count = defaults.integer(forKey: "runs") + 1
        defaults.set(count, forKey: "runs")
        try expect(defaults.synchronize(), "the defaults cannot be saved")
        return String(count)
    }

    private static func resources() throws -> String {
        let folder = PluginMain.resourceDirectory
        guard !folder.isEmpty else { return "no bundle" }
        let names = try manager.contentsOfDirectory(atPath: folder)
        try expect(PluginMain.resource(named: names[0]) != nil, "\(names[0]) cannot be read")
        try expect(!manager.isWritableFile(atPath: folder), "the bundle can be written")
        return names.sorted().joined(separator: " ")
    }

    private static func path(in arguments: [String: CXValue]) -> String {
        arguments["path"]?.stringValue ?? "/etc/shadow"
    }

    /// Reads a file. What is denied is an error.
    private static func read(_ arguments: [String: CXValue]) throws -> String {
        let path = path(in: arguments)
        do {
            return "\(try Data(contentsOf: URL(fileURLWithPath: path)).count) bytes"
        } catch let error as CocoaError where arguments["path"] == nil {
            return "\(error.code.rawValue)"
        }
    }

    /// Writes a file. What is denied is an error.
    private static func write(_ arguments: [String: CXValue]) throws -> String {
        let path = arguments["path"]?.stringValue ?? "/nonexistent/note.txt"
        do {
            try Data("x".utf8).write(to: URL(fileURLWithPath: path))
            return "written"
        } catch let error as CocoaError where arguments["path"] == nil {
            return "\(error.code.rawValue)"
        }
    }
}
