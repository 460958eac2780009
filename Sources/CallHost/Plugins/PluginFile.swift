// A file that may be loaded as a plugin, and the checks that it went through.

import CallModel
import EventLoop

/// A plugin's library that passed every check that can be made without running it.
struct PluginFile: Hashable, Sendable {
    let id: String
    let libraryPath: String
    /// The bundle's folder; empty for a lone file.
    let resourceDirectory: String
    let note: PluginNote
    /// Tells one file at this path from the next.
    let version: String

    init(id: String, libraryPath: String, resourceDirectory: String) throws(PluginFileError) {
        self.id = id
        self.libraryPath = libraryPath
        self.resourceDirectory = resourceDirectory
        try Self.checkFolder(of: libraryPath)
        let file: FileReader
        do {
            file = try FileReader(libraryPath)
        } catch {
            throw .unreadable(error.description)
        }
        version = file.status.version
        try Self.check(file.status)
        note = try ELFNoteReader(file).read()
        guard note.protocolVersion == Contract.protocolVersion else {
            throw .wrongProtocol(found: note.protocolVersion, expected: Contract.protocolVersion)
        }
    }

    private static func check(_ status: FileStatus) throws(PluginFileError) {
        guard status.kind == .file else { throw .notAFile(status.kind) }
        guard !status.isWorldWritable else { throw .worldWritable("the file") }
        guard status.owner == 0 || status.owner == FileReader.ownUserID else { throw .foreignOwner(status.owner) }
        guard status.size <= PluginFileError.maximumSize else { throw .tooLarge(status.size) }
    }

    private static func checkFolder(of path: String) throws(PluginFileError) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard let status = try? FileReader(folder.isEmpty ? "/" : folder).status else { return }
        guard !status.isWorldWritable || status.isSticky else { throw .worldWritable("its folder") }
    }
}

/// What a name in a plugin folder turned out to be.
enum PluginCandidate: Hashable, Sendable {
    case usable(PluginFile)
    case rejected(id: String, path: String, PluginFileError)

    var id: String {
        switch self {
        case .usable(let file): file.id
        case .rejected(let id, _, _): id
        }
    }

    var path: String {
        switch self {
        case .usable(let file): file.libraryPath
        case .rejected(_, let path, _): path
        }
    }
}
