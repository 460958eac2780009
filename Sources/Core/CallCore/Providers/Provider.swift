// One provider as the core keeps it.

public import CallModel

public struct Provider: Sendable, Hashable {
    public let id: ProviderID
    public internal(set) var configuration: ProviderConfiguration
    /// Whether it came with the system, and not from the user's own folder or from an app.
    public internal(set) var isPackaged = true
    /// Whose it is.
    public internal(set) var owner: Owner
    /// Whether the user marked it as one that reaches the emergency services.
    public internal(set) var isMarked = false
    /// Counts the registrations of new providers: the earlier is asked first.
    public internal(set) var order: UInt64 = 0
    /// False while the process behind it is down.
    public internal(set) var isReady = true

    /// Whether what it says of emergencies counts (rule 19).
    public var isEntitled: Bool { isPackaged || isMarked }

    /// The provider as clients see it: with the emergency numbers that are in force, whether declared or not.
    package var shown: Provider {
        var shown = self
        shown.configuration.emergencyNumbers = emergencyNumbers
        shown.isMarked = false
        return shown
    }
}
