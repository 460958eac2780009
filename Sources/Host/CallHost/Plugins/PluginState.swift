// PluginState: the state of a plugin.

/// Raw values are the words on the bus.
enum PluginState: String, Sendable {
    case starting, ready, restarting
    case needsConsent = "needs-consent"
    case quarantined, incompatible, disabled
}
