// CallerSource: whoever knows something of callers.

public import CallModel
public import EventLoop

/// A part of the store that is asked of each incoming call. It answers at once, from memory.
@LoopActor
public protocol CallerSource: AnyObject {
    /// Adds what it knows.
    ///
    /// - Parameters:
    ///   - handle: as it was reported; nil for a withheld one.
    ///   - facts: have the handle as it is compared.
    func note(_ handle: Handle?, in facts: inout LookUpFacts)
}
