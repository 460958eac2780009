// CXSetHeldCallAction: hold a call, or take it off hold.

internal import CallModel
internal import ProviderLink
internal import Synchronization

/// Holds or resumes a call. A group is held by one action for each member.
public final class CXSetHeldCallAction: CXCallAction, @unchecked Sendable {
    private let onHold: Mutex<Bool>

    public init(call callUUID: UUID, onHold: Bool) {
        self.onHold = Mutex(onHold)
        super.init(call: callUUID)
    }

    init(_ wire: PerformWire, onHold: Bool, answer: @escaping @Sendable (Outcome) -> Void) {
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

    public var isOnHold: Bool {
        get { onHold.withLock { $0 } }
        set { onHold.withLock { $0 = newValue } }
    }

    override func model() throws(CallError) -> CallAction { .setHeld(CallID(callUUID), isOnHold) }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
