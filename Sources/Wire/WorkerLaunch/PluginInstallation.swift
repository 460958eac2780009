// PluginInstallation: puts a plugin into a folder, or takes it away, so that nobody sees half of it.

internal import CallModel
public import EventLoop
internal import Files
internal import Glibc

/// A copy of a plugin in a folder of plugins, first under a name that is no plugin's. What it takes the place of is kept
/// until it is clear that the new one works.
public struct PluginInstallation: Sendable {
    /// The copy, checked.
    public let file: PluginFile
    /// Where it is to lie.
    public let place: String
    private let staging: String
    private let copy: String

    private static let stagingName = ".installing"
    /// Folders within a bundle that are copied, and entries of each.
    private static let maximumDepth = 8
    private static let maximumEntries = 4_096
    private static let maximumResource: UInt64 = 256 << 20

    /// Copies a library or a bundle, and flushes the copy to the disk.
    ///
    /// - Parameters:
    ///   - source: the path of the library or the bundle.
    ///   - folder: the folder of plugins; it is made if it is missing.
    /// - Throws: why the copy is no plugin that can be used; then nothing is left of it.
    public init(of source: String, in folder: String) throws(PluginFileError) {
        var source = source
        while source.count > 1, source.hasSuffix("/") { source.removeLast() }
        let name = source.split(separator: "/").last.map(String.init) ?? ""
        guard PluginName(name) != nil else { throw .notAPluginName }
        staging = "\(folder)/\(Self.stagingName)"
        copy = "\(staging)/\(name)"
        place = "\(folder)/\(name)"
        do throws(SystemError) {
            try FileWriter.makeFolder(folder)
            try FolderTree.remove(staging)
            try FileWriter.makePrivateFolder(staging)
            try Self.copy(source, to: copy)
        } catch {
            try? FolderTree.remove(staging)
            throw .unreadable(error)
        }
        do throws(PluginFileError) {
            file = try PluginFile(at: copy, protocolVersion: Contract.protocolVersion)
        } catch {
            try? FolderTree.remove(staging)
            throw error
        }
    }

    /// Lets the copy and what lies in its place change their names, at one moment.
    public func exchange() throws(SystemError) {
        let isNew = (try? FileStatus(place, followingLinks: false)) == nil
        if isNew { try FileWriter.rename(copy, to: place) } else { try FileWriter.exchange(copy, with: place) }
        try FileWriter.flushFolder(of: place)
    }

    /// Puts another file with the same id aside, which would hide this one, or be hidden.
    ///
    /// - Parameter path: in the same folder.
    public func setAside(_ path: String) throws(SystemError) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        try FileWriter.rename(path, to: "\(staging)/\(Self.aside)\(name)")
    }

    private static let aside = "aside-"

    /// Undoes `exchange()` and `setAside(_:)`.
    public func takeBack() throws(SystemError) {
        let wasNew = (try? FileStatus(copy, followingLinks: false)) == nil
        if wasNew { try FileWriter.rename(place, to: copy) } else { try FileWriter.exchange(copy, with: place) }
        let names = try FolderListing.names(in: staging, limit: 2) { $0.hasPrefix(Self.aside) }
        for name in names {
            let former = "\(place.deletingLastElement)/\(name.dropFirst(Self.aside.count))"
            try FileWriter.rename("\(staging)/\(name)", to: former)
        }
        try FileWriter.flushFolder(of: place)
        finish()
    }

    /// Removes what the copy has taken the place of.
    public func finish() { try? FolderTree.remove(staging) }

    /// Takes a plugin away from its folder.
    ///
    /// - Parameter path: the library or the bundle.
    public static func remove(_ path: String) throws(SystemError) {
        let staging = "\(path.deletingLastElement)/\(stagingName)"
        try FolderTree.remove(staging)
        try FileWriter.makePrivateFolder(staging)
        // Away at one moment: a bundle that is removed file by file looks damaged.
        try FileWriter.rename(path, to: "\(staging)/removed")
        try FileWriter.flushFolder(of: path)
        try FolderTree.remove(staging)
    }

    private static func copy(_ source: String, to place: String, depth: Int = 0) throws(SystemError) {
        switch try FileStatus(source).kind {
        case .folder where depth < maximumDepth:
            try FileWriter.makePrivateFolder(place)
            for name in try FolderListing.names(in: source, limit: maximumEntries, where: { _ in true }) {
                try copy("\(source)/\(name)", to: "\(place)/\(name)", depth: depth + 1)
            }
        case .regular:
            let file = try FileReader(source)
            guard file.status.size <= max(maximumResource, PluginFile.maximumSize) else {
                throw SystemError(call: "copy \(source)", code: EFBIG)
            }
            let bytes = try file.bytes(at: 0, count: Int(file.status.size))
            try FileWriter.replace(place, with: bytes, durably: true)
        default: throw .notRegular("copy \(source)")
        }
    }
}
