// The options of a request: how to treat a call in the way, when to answer, how long to wait.

public import CallModel
public import DBus

/// The a{sv} `options` of RequestTransaction, SimulateTransaction, StartCall and Answer.
public struct RequestOptions: Sendable, Hashable {
    public var conflict: ConflictPolicy
    public var replyMode: ReplyMode
    /// Milliseconds for each action, from 1; counts only if shorter than the published deadline.
    public var timeout: UInt32?

    /// The keys that the contract has.
    public static let keys: Set<String> = [Key.conflict, Key.reply, Key.timeout]

    private enum Key {
        static let conflict = "conflict"
        static let reply = "reply"
        static let timeout = "timeout"
    }

    public init(conflict: ConflictPolicy = .hold, replyMode: ReplyMode = .performed, timeout: UInt32? = nil) {
        self.conflict = conflict
        self.replyMode = replyMode
        self.timeout = timeout
    }

    /// - Throws: `InvalidArguments` for a key of the wrong type or outside its values.
    public init(wire: VariantDictionary) throws(CallError) {
        conflict = try wire.optionalWord(Key.conflict) ?? .hold
        replyMode = try wire.optionalWord(Key.reply) ?? .performed
        timeout = try wire.optional(Key.timeout)
        guard timeout != 0 else { throw CallError(.invalidArguments, "timeout is 0 ms, expected at least 1") }
    }

    /// Defaults are left out.
    public var wire: VariantDictionary {
        var wire = VariantDictionary()
        if conflict != .hold { wire.set(Key.conflict, conflict.rawValue) }
        if replyMode != .performed { wire.set(Key.reply, replyMode.rawValue) }
        wire.set(Key.timeout, timeout)
        return wire
    }
}
