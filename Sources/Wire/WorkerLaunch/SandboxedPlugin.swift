// SandboxedPlugin: the files of a plugin that its sandbox shows.

internal import EventLoop
public import Files

/// The files that a plugin consists of.
public struct SandboxedPlugin: Sendable, Hashable {
    /// The library's absolute path.
    public let library: String
    /// The bundle's absolute path; empty for a bare library.
    public let bundle: String
    /// The folders of the Swift runtime that the library is linked with.
    let runtimeFolders: [String]
    /// Whether the library can have the runtime that is installed with the programs: it has none of its own, and the same
    /// compiler has built it.
    let canShareRuntime: Bool

    /// - Parameters:
    ///   - file: The library, open.
    ///   - library: Its absolute path.
    ///   - bundle: The bundle's absolute path; empty for a bare library.
    public init(_ file: FileReader, library: String, bundle: String) {
        let source: ELFNoteReader.Source = { offset, count throws(PluginFileError) in
            do throws(SystemError) {
                return try file.bytes(at: offset, count: count)
            } catch {
                throw .unreadable(error)
            }
        }
        let symbols = try? ELFSymbolReader(source: source)
        self.init(
            library: library, bundle: bundle, runPath: (try? symbols?.runPath()) ?? "",
            toolchain: try? ELFNoteReader(size: file.status.size, source: source).note().toolchain)
    }

    init(library: String, bundle: String, runPath: String, toolchain: PluginNote.Toolchain? = nil) {
        self.library = library
        self.bundle = bundle
        runtimeFolders = Self.runtimeFolders(runPath)
        canShareRuntime = runtimeFolders.isEmpty && toolchain == SharedRuntime.toolchain
    }

    /// The folders of a library's run path that have a Swift runtime. Others are not shown, because a library can name
    /// any folder there.
    private static func runtimeFolders(_ runPath: String) -> [String] {
        runPath.split(separator: ":").prefix(16).map(String.init).filter { folder in
            guard folder.hasPrefix("/"), !folder.contains("/../"), !folder.hasSuffix("/..") else { return false }
            return SharedRuntime.isRuntime(folder)
        }
    }
}
