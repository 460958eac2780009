// LinkChannel: a channel to one other process or place, where signals come without being asked for by rules.

public import EventLoop

/// A link between two, as opposed to a bus: whatever signal the other end sends arrives here.
@LoopActor
public protocol LinkChannel: MessageChannel {
    /// Gets incoming signals.
    var onSignal: (@LoopActor (Message) -> Void)? { get set }
}

extension PrivateLink: LinkChannel {}
extension MemoryLink: LinkChannel {}
