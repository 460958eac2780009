// A plugin file that passed: what is needed to start it.

internal import CallModel
internal import EventLoop
public import Files
internal import Glibc

/// A library, alone or in a bundle, that is safe to start a worker with and speaks our protocol. Equal to another if
/// the file is the same and has not changed.
public struct PluginFile: Hashable, Sendable {
    /// 1 to 64 characters out of `[A-Za-z0-9_]`.
    public let id: String
    /// Where it was found: `Name.so` or `Name.callplugin`.
    public let location: String
    /// What the worker loads: absolute, without symbolic links.
    public let libraryPath: String
    /// The bundle, absolute; empty for a library alone.
    public let resourceDirectory: String
    public let note: PluginNote
    /// What it says that it can be; none of a file whose symbols are not understood here.
    public let parts: Set<PluginPart>
    /// What the bundle asks for; nothing for a library alone.
    public let manifest: PluginManifest
    /// What must be visible for it to run.
    public let sandboxed: SandboxedPlugin
    private let status: FileStatus
    /// Nil if there is no manifest.
    private let manifestStatus: FileStatus?

    /// Whether a text can be the id of a plugin.
    public static func isID(_ text: String) -> Bool { PluginName("\(text).callplugin")?.id == text && !text.isEmpty }

    /// Debug builds with static libraries reach a few hundred MiB.
    static let maximumSize: UInt64 = 1 << 30

    /// Looks at the plugin at `path`, which may be relative, loading nothing and blocking on nothing.
    ///
    /// - Parameters:
    ///   - protocolVersion: the one that the host speaks.
    ///   - user: whose files are trusted besides root's; nil is the user this process acts for.
    public init(at path: String, protocolVersion: UInt32, user: UInt32? = nil) throws(PluginFileError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let fileName = path.split(separator: "/").last.map(String.init) ?? ""
        guard let name = PluginName(fileName) else { throw .notAPluginName }
        let named = path.contains("/") ? path.deletingLastElement : "."
        let folder = try read { () throws(SystemError) in try FileStatus.resolve(named) }
        let user = user ?? FileStatus.currentUser
        let found = folder == "/" ? "/\(fileName)" : "\(folder)/\(fileName)"
        try self.init(name, at: found, in: folder, protocolVersion: protocolVersion, user: user)
    }

    /// Looks at `name` in `folder`, loading nothing and blocking on nothing.
    ///
    /// - Parameters:
    ///   - protocolVersion: the one that the host speaks.
    ///   - user: whose files are trusted besides root's.
    init(_ name: PluginName, at path: String, in folder: String, protocolVersion: UInt32, user: UInt32)
        throws(PluginFileError)
    {
        try name.check()
        let folder = try read { () throws(SystemError) in try FileStatus.resolve(folder) }
        try Self.requireSafeParents(of: folder, user)
        try Self.requireSafe(folder, user)
        var found = path
        var bundle = ""
        if name.isBundle {
            let status = try read { () throws(SystemError) in try FileStatus(path) }
            guard status.kind == .folder else { throw .notAFolder(status.kind) }
            bundle = try read { () throws(SystemError) in try FileStatus.resolve(path) }
            try Self.require(bundle, in: folder, user)
            try Self.requireSafe(bundle, user)
            found = try Self.library(of: name, in: bundle)
        }
        let library = try read { () throws(SystemError) in try FileStatus.resolve(found) }
        let kind = try read { () throws(SystemError) in try FileStatus(library) }.kind
        guard kind == .regular else { throw .notAFile(kind) }
        try Self.require(library, in: folder, user)
        let file = try Self.open(library, user)
        guard file.status.size <= Self.maximumSize else {
            throw .tooLarge(size: file.status.size, limit: Self.maximumSize)
        }
        let source: ELFNoteReader.Source = { offset, count throws(PluginFileError) in
            try read { () throws(SystemError) in try file.bytes(at: offset, count: count) }
        }
        note = try ELFNoteReader(size: file.status.size, source: source).note()
        guard note.protocolVersion == protocolVersion else { throw .wrongProtocol(note, expected: protocolVersion) }
        let symbols = try ELFSymbolReader(source: source)
        var parts: Set<PluginPart> = []
        for part in PluginPart.allCases where try symbols?.exports(part.entry) == true { parts.insert(part) }
        self.parts = parts
        (manifest, manifestStatus) = try Self.manifest(in: bundle, user)
        sandboxed = SandboxedPlugin(
            library: library, bundle: bundle, runPath: (try? symbols?.runPath()) ?? "", toolchain: note.toolchain)
        // The loader also finds a runtime beside the library.
        let needsRuntime = (try? symbols?.needs(SharedRuntime.core)) == true
        if needsRuntime, sandboxed.runtimeFolders.isEmpty, !sandboxed.canShareRuntime,
            !SharedRuntime.isRuntime(library.deletingLastElement)
        {
            throw .noRuntime(note, expected: SharedRuntime.toolchain)
        }
        id = name.id
        location = path
        libraryPath = library
        resourceDirectory = bundle
        status = file.status
    }

    private static func library(of name: PluginName, in bundle: String) throws(PluginFileError) -> String {
        for library in name.libraryNames {
            do throws(SystemError) {
                _ = try FileStatus("\(bundle)/\(library)")
                return "\(bundle)/\(library)"
            } catch {
                if !error.isMissing { throw .unreadable(error) }
            }
        }
        throw .noLibrary(expected: "\(name.stem).so")
    }

    /// Which file the library is. A process that sees other user ids, and cannot look at it as this one did, loads it
    /// by that.
    public var version: FileVersion { status.version }

    /// A digest of what the library and the files beside it in its bundle hold; equal ones mean the same contents, in this
    /// process. Reads the files, which may take a moment.
    ///
    /// - Parameter loaded: the library as a worker has loaded it; nil to open it.
    /// - Returns: nil if one cannot be read, or is not the file that was looked at any more.
    public func contents(of loaded: FileReader? = nil) -> UInt64? {
        guard let library = try? loaded ?? open() else { return nil }
        var hasher = Hasher()
        do throws(SystemError) {
            try library.combine(into: &hasher)
            var names: [String] = []
            if !resourceDirectory.isEmpty {
                names = try FolderListing.names(in: resourceDirectory, limit: Self.maximumResources) { _ in true }
            }
            for name in names {
                let path = "\(resourceDirectory)/\(name)"
                guard path != libraryPath, (try? FileStatus(path))?.kind == .regular else { continue }
                hasher.combine(name)
                try FileReader(path).combine(into: &hasher)
            }
        } catch {
            return nil
        }
        // A library that is loaded is known however soon its date is set anew.
        guard loaded != nil || (try? library.currentStatus())?.version.modified == version.modified else { return nil }
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// So many files beside a library are compared.
    private static let maximumResources = 1_024

    /// Opens the library again, to be loaded.
    ///
    /// - Throws: `exchanged` if it is not the file that was looked at, unchanged, or if what it asks for has changed.
    public func open() throws(PluginFileError) -> FileReader {
        let file = try Self.open(libraryPath)
        guard file.status == status else { throw .exchanged(path: libraryPath) }
        guard try Self.manifest(in: resourceDirectory, FileStatus.currentUser) == (manifest, manifestStatus) else {
            throw .exchanged(path: "\(resourceDirectory)/\(PluginManifest.fileName)")
        }
        return file
    }

    /// Reads what a bundle asks for. Who can write to that file decides what the plugin is granted.
    private static func manifest(
        in bundle: String, _ user: UInt32
    ) throws(PluginFileError) -> (PluginManifest, FileStatus?) {
        guard !bundle.isEmpty else { return (PluginManifest(), nil) }
        let path = "\(bundle)/\(PluginManifest.fileName)"
        let file: FileReader?
        do throws(SystemError) {
            file = try PluginManifest.open(inBundle: bundle)
        } catch {
            guard error.code == EINVAL else { throw .unreadable(SystemError(call: "open \(path)", code: error.code)) }
            throw .manifest("\(PluginManifest.fileName) is no regular file")
        }
        guard let file else { return (PluginManifest(), nil) }
        try check(file.status, path, user)
        let bytes = try read { () throws(SystemError) in
            try file.bytes(at: 0, count: PluginManifest.maximumSize + 1)
        }
        do throws(CallError) {
            return (try PluginManifest(bytes), file.status)
        } catch {
            throw .manifest(error.message)
        }
    }

    /// Opens a library, and looks at what was opened.
    static func open(_ path: String, _ user: UInt32? = nil) throws(PluginFileError) -> FileReader {
        let file = try read { () throws(SystemError) in try FileReader(path) }
        try check(file.status, path, user ?? FileStatus.currentUser)
        return file
    }

    /// What anybody, or somebody else, can change is not started in the user's name.
    private static func requireSafe(_ path: String, _ user: UInt32) throws(PluginFileError) {
        try check(try read { () throws(SystemError) in try FileStatus(path) }, path, user)
    }

    private static func check(_ status: FileStatus, _ path: String, _ user: UInt32) throws(PluginFileError) {
        guard !status.isWorldWritable else { throw .worldWritable(status.kind, path: path) }
        guard !status.isGroupWritable else { throw .groupWritable(status.kind, path: path) }
        try checkOwner(status, path, user)
    }

    private static func checkOwner(_ status: FileStatus, _ path: String, _ user: UInt32) throws(PluginFileError) {
        guard status.owner == 0 || status.owner == user else {
            throw .wrongOwner(path: path, owner: status.owner, user: user)
        }
    }

    /// Who can write to a folder can exchange all that lies in it; in a sticky folder, only what is its own.
    private static func requireSafeParents(of folder: String, _ user: UInt32) throws(PluginFileError) {
        var path = folder
        while path != "/" {
            path = path.deletingLastElement
            let status = try read { () throws(SystemError) in try FileStatus(path) }
            guard !status.isWorldWritable || status.isSticky else { throw .worldWritable(status.kind, path: path) }
            try checkOwner(status, path, user)
        }
    }

    /// Symbolic links may lead to another place in the folder. The folders on the way are as safe as the folder itself.
    private static func require(_ path: String, in folder: String, _ user: UInt32) throws(PluginFileError) {
        guard path.isIn(folder), path != folder else { throw .outside(path: path, folder: folder) }
        var parent = path.deletingLastElement
        while parent.utf8.count > folder.utf8.count {
            try requireSafe(parent, user)
            parent = parent.deletingLastElement
        }
    }
}

private func read<Value>(_ body: () throws(SystemError) -> Value) throws(PluginFileError) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        throw .unreadable(error)
    }
}
