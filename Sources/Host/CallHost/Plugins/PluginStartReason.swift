// PluginStartReason: why a worker of a plugin was started last.

/// Raw values are the words on the bus.
enum PluginStartReason: String, Sendable {
    /// The plugin was found, or the daemon began.
    case found
    /// The last worker crashed.
    case crashed
    /// The user has it restarted.
    case restarted
    /// Another file took its place.
    case upgraded
    /// What it may use has changed.
    case permissions
    /// It was disabled, or quarantined.
    case enabled
    /// Its folders were removed.
    case forgotten
}
