// One provider as the core keeps it.

public import CallModel

public struct Provider: Sendable, Hashable {
    public let id: ProviderID
    public internal(set) var configuration: ProviderConfiguration
    /// False while the process behind it is down.
    public internal(set) var isReady = true
}
