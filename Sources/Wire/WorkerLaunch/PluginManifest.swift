// PluginManifest: what a plugin asks for, in the file Plugin.ini of its bundle.

public import CallModel

/// What a bundle says of itself before any of its code runs. Nothing in it is believed: it asks, and the user grants.
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
    /// What the plugin does not start without, in order.
    public var needs: [Permission] = []
    /// What the plugin can do without, in order; none that it needs.
    public var mayUse: [Permission] = []
    /// Why it asks, in the plugin's own words, safe to show. Not every permission has a reason.
    public var reasons: [Permission: String] = [:]
    /// The lines that were passed over, each as a text for the log.
    public var unknown: [String] = []

    /// A manifest that asks for nothing.
    public init() {}

    /// All that the plugin asks for, in order.
    public var asked: [Permission] { (needs + mayUse).sorted() }
}
