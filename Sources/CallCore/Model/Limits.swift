// How much of anything there may be, so that no outsider can fill the memory.

public struct Limits: Sendable, Hashable {
    public var ringingCallsPerProvider = 16
    public var calls = 64
    public var actionsPerTransaction = 16
    public var waitingTransactions = 256
    public var causesPerCall = 32

    public init() {}
}
