// SandboxedPlugin: what of a plugin itself must be visible in its sandbox.

internal import EventLoop
public import Files

/// The files that a plugin consists of.
public struct SandboxedPlugin: Sendable, Hashable {
    /// The library, an absolute file name.
    public let library: String
    /// The bundle; empty for a library alone.
    public let bundle: String
    /// Where the Swift runtime lies that the library was linked with.
    let runtimeFolders: [String]

    /// - Parameters:
    ///   - file: The library, open.
    ///   - library: Its absolute file name.
    ///   - bundle: An absolute file name; empty for a library alone.
    public init(_ file: FileReader, library: String, bundle: String) {
        let symbols = try? ELFSymbolReader { offset, count throws(PluginFileError) in
            do throws(SystemError) {
                return try file.bytes(at: offset, count: count)
            } catch {
                throw .unreadable(error)
            }
        }
        self.init(library: library, bundle: bundle, runPath: (try? symbols?.runPath()) ?? "")
    }

    init(library: String, bundle: String, runPath: String) {
        self.library = library
        self.bundle = bundle
        runtimeFolders = Self.runtimeFolders(runPath)
    }

    /// The folders of a library's run path that hold a Swift runtime. Any others are not shown: the library only says
    /// that there is something for it.
    private static func runtimeFolders(_ runPath: String) -> [String] {
        runPath.split(separator: ":").prefix(16).map(String.init).filter { folder in
            guard folder.hasPrefix("/"), !folder.contains("/../"), !folder.hasSuffix("/..") else { return false }
            return (try? FileStatus("\(folder)/libswiftCore.so"))?.kind == .regular
        }
    }
}
