// Limits on everything that can grow, so that outsiders cannot fill the memory.

public struct Limits: Sendable, Hashable {
    public var ringingCallsPerProvider = 16
    /// Of all apps and programs together, and of all plugins together.
    public var calls = 64
    /// Of one sandboxed app, whatever it connects with; and of one client whose process is not known.
    public var callsPerClient = 8
    /// Of one plugin, and of one program of the user.
    public var callsPerPlugin = 16
    /// How many new calls one sandboxed app may have in a second; ten times as many at once.
    public var newCallsPerClient = 5
    /// Of one plugin, and of one program of the user.
    public var newCallsPerPlugin = 20
    /// How many requests one sandboxed app may have in a second; ten times as many at once.
    public var requestsPerClient = 20
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
