// CXSetMutedCallAction: mutes or unmutes this side of a call.

internal import CallModel
internal import CallWire
internal import Synchronization

/// Mutes or unmutes this side of a call (CallKit: CXSetMutedCallAction).
public final class CXSetMutedCallAction: CXCallAction, @unchecked Sendable {
    private let muted: Mutex<Bool>

    /// Creates a request to mute or to unmute a call.
    /// - Parameters:
    ///   - callUUID: the call, which may be on hold.
    ///   - muted: true to mute this side, false to unmute it.
    public init(call callUUID: UUID, muted: Bool) {
        self.muted = Mutex(muted)
        super.init(call: callUUID)
    }

    init(_ wire: PerformWire, muted: Bool, answer: @escaping Answer) {
        self.muted = Mutex(muted)
        super.init(wire, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case isMuted
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        muted = Mutex(try values.decode(Bool.self, forKey: .isMuted))
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(isMuted, forKey: .isMuted)
        try super.encode(to: encoder)
    }

    /// True to mute this side, false to unmute it. The setting is kept while the call is on hold.
    public var isMuted: Bool {
        get { muted.withLock { $0 } }
        set { muted.withLock { $0 = newValue } }
    }

    override func model() throws(CallError) -> CallAction { .setMuted(CallID(callUUID), isMuted) }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
