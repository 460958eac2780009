// CXSetHeldCallAction: holds or resumes a call.

internal import CallModel
internal import CallWire
internal import Synchronization

/// Holds or resumes a call (CallKit: CXSetHeldCallAction). To hold a group, a provider gets one action for each member.
public final class CXSetHeldCallAction: CXCallAction, @unchecked Sendable {
    private let onHold: Mutex<Bool>

    /// Creates a request to hold or to resume a call.
    /// - Parameters:
    ///   - callUUID: the call; a member of a group stands for the whole group.
    ///   - onHold: true to hold it, false to take it off hold.
    public init(call callUUID: UUID, onHold: Bool) {
        self.onHold = Mutex(onHold)
        super.init(call: callUUID)
    }

    init(_ wire: PerformWire, onHold: Bool, answer: @escaping Answer) {
        self.onHold = Mutex(onHold)
        super.init(wire, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case isOnHold
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        onHold = Mutex(try values.decode(Bool.self, forKey: .isOnHold))
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(isOnHold, forKey: .isOnHold)
        try super.encode(to: encoder)
    }

    /// True to hold the call, false to take it off hold.
    public var isOnHold: Bool {
        get { onHold.withLock { $0 } }
        set { onHold.withLock { $0 = newValue } }
    }

    override func model() throws(CallError) -> CallAction { .setHeld(CallID(callUUID), isOnHold) }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
