// SharedRuntime: the Swift runtime that is installed with the programs.

internal import Files

/// The libraries of the Swift runtime that all installed programs share, and plugins of the same compiler with them. A build
/// that is not installed has none: what it consists of is linked with the toolchain's.
enum SharedRuntime {
    /// The compiler whose runtime it is: the one that builds this.
    #if compiler(>=6.4)
        static let toolchain = PluginNote.Toolchain(major: 6, minor: 4)
    #else
        static let toolchain = PluginNote.Toolchain(major: 6, minor: 3)
    #endif

    /// The library that each part of Swift needs.
    static let core = "libswiftCore.so"

    /// The folder with the libraries, as Scripts/install.sh makes it; nil if there is none.
    ///
    /// - Parameter worker: The path of callkit-worker.
    static func folder(of worker: String) -> String? {
        guard let libexec = worker.plainPath?.deletingLastElement else { return nil }
        let prefix = libexec.deletingLastElement.deletingLastElement
        let folder = "\(prefix == "/" ? "" : prefix)/lib/opencallkit/swift"
        return isRuntime(folder) ? folder : nil
    }

    /// Whether a folder has a Swift runtime.
    static func isRuntime(_ folder: String) -> Bool { (try? FileStatus("\(folder)/\(core)"))?.kind == .regular }
}
