// How much of anything there may be, so that no outsider can fill the memory.

public struct Limits: Sendable, Hashable {
    public var ringingCallsPerProvider = 16
    public var calls = 64
    public var actionsPerTransaction = 16
    public var waitingTransactions = 256
    public var causesPerCall = 32
    /// Reports about a call that waits to ring.
    public var waitingReports = 16
    /// Callers whom Do Not Disturb turned away.
    public var rememberedCallers = 64

    public init() {}
}
