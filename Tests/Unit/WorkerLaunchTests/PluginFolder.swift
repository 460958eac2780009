// A plugin folder for a test.

import EventLoop
import Files
import Foundation
import TestSupport

@testable import WorkerLaunch

struct PluginFolder {
    private let folder: TemporaryFolder
    /// The path without symbolic links.
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try FileStatus.resolve(folder.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: file(name)))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file(name))
    }

    /// Searches this folder only.
    func scan(user: UInt32? = nil) -> [PluginCandidate] {
        PluginSearchPath(
            first: [path], environment: ["XDG_DATA_DIRS": "/nonexistent"], executableFolder: "/nonexistent/bin"
        )
        .scan(user: user)
    }
}

extension PluginSearchPath {
    /// A scan of folders that can all be read.
    func scan(user: UInt32? = nil) -> [PluginCandidate] {
        var unread: [String: SystemError] = [:]
        let found = scan(user: user, unread: &unread)
        precondition(unread.isEmpty, "not read: \(unread)")
        return found
    }

    /// A survey of folders that can all be read.
    func survey() -> [PluginCandidate] {
        var unread: [String: SystemError] = [:]
        let found = survey(unread: &unread)
        precondition(unread.isEmpty, "not read: \(unread)")
        return found
    }
}
