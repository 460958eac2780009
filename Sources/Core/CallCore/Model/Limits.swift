// Limits on everything that can grow, so that outsiders cannot fill the memory.

public struct Limits: Sendable, Hashable {
    public var ringingCallsPerProvider = 16
    /// Of all apps together, and of all plugins together.
    public var calls = 64
    public var callsPerClient = 8
    public var callsPerPlugin = 16
    public var startsPerOwner = 8
    public var actionsPerTransaction = 16
    public var transactionsPerOwner = 16
    /// Of all clients together.
    public var waitingTransactions = 256
    public var causesPerCall = 32
    /// Reports about a call that waits to ring.
    public var waitingReports = 16
    /// Callers filtered by Do Not Disturb.
    public var rememberedCallers = 64
    /// Providers of plugins whose order is kept.
    public var knownProviders = 256

    public init() {}
}
