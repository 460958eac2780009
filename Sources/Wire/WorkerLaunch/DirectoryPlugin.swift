// DirectoryPlugin: a plugin with a call directory, as callkitd tells callkit-store of it.

public import CallModel
public import DBus
internal import EventLoop
public import Files

/// What it takes to load a plugin's call directory without looking at the plugin again: callkitd has looked at it, and
/// sees who owns its files, which callkit-store does not.
public struct DirectoryPlugin: Hashable, Sendable {
    /// In Store1's `SetExtensions`.
    public typealias Wire = Struct<
        String, String, String, Bool, Struct<UInt64, UInt64, UInt64, Int64, Int64>, String, [String]
    >

    public let id: String
    /// The library, absolute and without symbolic links.
    public let library: String
    /// The bundle, absolute; empty for a library alone.
    public let resourceFolder: String
    /// Whether it is enabled and has all that it needs.
    public let isEnabled: Bool
    /// The library that may be loaded, and no other.
    public let version: FileVersion
    /// The least sandbox that its worker must have.
    public let demand: SandboxLevel
    /// What it has been granted, and has while its directory is loaded: files.
    public let permissions: [Permission]

    /// - Parameters:
    ///   - isEnabled: Whether it may be loaded.
    ///   - demand: The least sandbox that its worker must have.
    public init(_ file: PluginFile, isEnabled: Bool, demand: SandboxLevel, permissions: [Permission]) {
        id = file.id
        library = file.libraryPath
        resourceFolder = file.resourceDirectory
        self.isEnabled = isEnabled
        version = file.version
        self.demand = demand
        self.permissions = permissions.filter(PluginPart.directory.gets)
    }

    /// - Throws: `InvalidArguments` for a path that is not absolute, an unknown level or permission, or too many of
    ///   them.
    public init(wire: Wire) throws(CallError) {
        let (id, library, resourceFolder, isEnabled, file, demand, permissions) = wire.fields
        func invalid(_ text: String) -> CallError { CallError(.invalidArguments, "plugin \(id.excerpt): \(text)") }
        guard PluginName("\(id).so")?.id == id else {
            throw invalid("expected an id of 1 to 64 of A-Z, a-z, 0-9 and _")
        }
        guard library.hasPrefix("/"), resourceFolder.isEmpty || resourceFolder.hasPrefix("/") else {
            throw invalid("its library is \(library.excerpt), expected an absolute path")
        }
        guard let level = SandboxLevel(rawValue: demand) else {
            let levels = SandboxLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw invalid("its sandbox is \(demand.excerpt), expected one of \(levels)")
        }
        guard permissions.count <= PluginManifest.maximumPermissions else {
            throw invalid("\(permissions.count) permissions, expected at most \(PluginManifest.maximumPermissions)")
        }
        var known: [Permission] = []
        for text in permissions { known.append(try Permission(text)) }
        self.id = id
        self.library = library
        self.resourceFolder = resourceFolder
        self.isEnabled = isEnabled
        let (device, inode, size, modified, changed) = file.fields
        version = FileVersion(device: device, inode: inode, size: size, modified: modified, changed: changed)
        self.demand = level
        self.permissions = known.filter(PluginPart.directory.gets)
    }

    public var wire: Wire {
        Struct(
            id, library, resourceFolder, isEnabled,
            Struct(version.device, version.inode, version.size, version.modified, version.changed), demand.rawValue,
            permissions.map(\.text))
    }

    /// Opens the library, to be loaded.
    ///
    /// - Throws: `exchanged` if it is not the file that callkitd has looked at.
    public func open() throws(PluginFileError) -> FileReader {
        let file: FileReader
        do throws(SystemError) {
            file = try FileReader(library)
        } catch {
            throw .unreadable(error)
        }
        guard file.status.version == version else { throw .exchanged(path: library) }
        return file
    }
}
