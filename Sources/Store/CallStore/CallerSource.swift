// CallerSource: a part of the store that knows callers.

public import CallModel
public import EventLoop

/// A part of the store that contributes to the look-up of each incoming call, at once and from memory.
@LoopActor
public protocol CallerSource: AnyObject {
    /// Adds what it knows of the caller.
    ///
    /// - Parameters:
    ///   - handle: as it was reported; nil for a withheld one.
    ///   - facts: what is known so far, with the normalized handle.
    func note(_ handle: Handle?, in facts: inout LookUpFacts)
}
