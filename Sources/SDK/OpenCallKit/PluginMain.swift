// PluginMain: runs a plugin from its entry point to its end.

internal import DBus
internal import EventLoop
internal import Glibc
internal import Synchronization

/// Runs a plugin; called by the plugin's exported entry. Not in CallKit.
///
/// ```swift
/// @c(opencallkit_plugin_main) public func main(_ link: CInt) -> CInt { PluginMain.run(link) { MyPlugin() } }
/// ```
///
/// The worker calls the entry on the main thread, with the link to callkitd. The main queue and the main actor run
/// there as in an app.
public enum PluginMain {
    struct Place: Sendable {
        var identifier = ""
        var resourceDirectory = ""
        var permissions: Set<String> = []

        init() {}

        /// Reads the host's answer to Hello.
        init(_ answer: VariantDictionary) throws(DBusError) {
            identifier = try answer.value("plugin-id") ?? ""
            resourceDirectory = try answer.value("resource-directory") ?? ""
            let granted: [String]? = try answer.value("permissions")
            permissions = Set(granted ?? [])
        }

        init(resourceDirectory: String, permissions: Set<String>) {
            self.resourceDirectory = resourceDirectory
            self.permissions = permissions
        }
    }

    /// Sends Hello to callkitd and runs until the link closes.
    /// - Parameters:
    ///   - link: the argument of the entry.
    ///   - plugin: creates the plugin's object, on the main actor, when callkitd has accepted the plugin. The object is
    ///     kept until the end.
    /// - Returns: the value that the entry must return: 0 after a normal end.
    public static func run(_ link: CInt, plugin: @escaping @MainActor @Sendable () -> Any) -> CInt {
        let worker = PluginWorker(plugin)
        Loop.shared.post { worker.start(link) }
        Loop.shared.run()
        return worker.exitCode
    }

    /// The plugin's id, as in its object path. Empty before the plugin's object is created.
    public static var identifier: String { SDKSession.current.place.withLock { $0.identifier } }

    /// The folder of the plugin's ringtones and icons; empty if it has none.
    public static var resourceDirectory: String { SDKSession.current.place.withLock { $0.resourceDirectory } }

    /// The permissions that the plugin has, as its `Plugin.ini` names them, such as `network` or `files:xdg-music`.
    /// Empty before the plugin's object is created.
    ///
    /// All permissions in `Needs` are here. Those in `MayUse` are here only if they are granted. Without a permission,
    /// what it allows fails with an ordinary error, such as `EACCES` or a refused connection. The set does not change
    /// while the plugin runs: when the user grants or revokes a permission, the plugin is started again.
    ///
    /// ```swift
    /// if PluginMain.permissions.contains("audio") { openSpeakers() }
    /// ```
    public static var permissions: Set<String> { SDKSession.current.place.withLock { $0.permissions } }

    /// Reads a file of the resource directory.
    /// - Returns: its contents, at most 16 MiB; nil if it cannot be read.
    public static func resource(named name: String) -> Data? {
        let directory = resourceDirectory
        guard !directory.isEmpty else { return nil }
        let file = open(directory + "/" + name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Reading files with Foundation costs each plugin several hundred kilobytes.
        var contents: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while contents.count < 16 << 20 {
            let count = read(file, &piece, piece.count)
            if count < 0 { return nil }
            if count == 0 { return Data(contents) }
            contents += piece[..<count]
        }
        return nil
    }
}
