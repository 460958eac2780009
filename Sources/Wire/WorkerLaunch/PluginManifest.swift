// PluginManifest: the file Plugin.ini of a bundle, in which a plugin asks for permissions.

public import CallModel

/// The name of a plugin and the permissions that it asks for, known before any of its code runs. The manifest grants
/// nothing: the user or the installation does.
public struct PluginManifest: Sendable, Hashable {
    /// The file's name in the bundle.
    public static let fileName = "Plugin.ini"
    /// The largest file, in bytes.
    public static let maximumSize = 16 * 1024
    /// The most permissions of one plugin.
    public static let maximumPermissions = 32

    /// What the plugin calls itself, safe to show; empty if it does not say.
    public var name: String = ""
    /// One sentence about the plugin, safe to show; empty if there is none.
    public var comment: String = ""
    /// The permissions without which the plugin is not started, sorted.
    public var needs: [Permission] = []
    /// The permissions without which the plugin is started, sorted; none is in `needs`.
    public var mayUse: [Permission] = []
    /// Why the plugin asks, in its own words, safe to show. A permission may have no reason.
    public var reasons: [Permission: String] = [:]
    /// The lines that were ignored, each as a text for the log.
    public var unknown: [String] = []

    /// A manifest that asks for nothing.
    public init() {}

    /// All permissions that the plugin asks for, sorted.
    public var asked: [Permission] { (needs + mayUse).sorted() }
}
