// CXSetGroupCallAction: groups a call with another, or takes it out of its group.

internal import CallModel
internal import CallWire
internal import Synchronization

/// Groups a call with another call, or takes it out of its group (CallKit: CXSetGroupCallAction). A call that joins
/// another leaves its present group.
public final class CXSetGroupCallAction: CXCallAction, @unchecked Sendable {
    private let other: Mutex<UUID?>

    /// Creates a request to group a call, or to take it out of its group.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - callUUIDToGroupWith: a call of the same provider; nil to leave the group.
    public init(call callUUID: UUID, callUUIDToGroupWith: UUID?) {
        other = Mutex(callUUIDToGroupWith)
        super.init(call: callUUID)
    }

    init(_ wire: PerformWire, other: CallID?, answer: @escaping Answer) {
        self.other = Mutex(other.map(UUID.init))
        super.init(wire, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case callUUIDToGroupWith
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        other = Mutex(try values.decodeIfPresent(UUID.self, forKey: .callUUIDToGroupWith))
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(callUUIDToGroupWith, forKey: .callUUIDToGroupWith)
        try super.encode(to: encoder)
    }

    /// A call of the same provider, which may be in a group; nil to leave the group.
    public var callUUIDToGroupWith: UUID? {
        get { other.withLock { $0 } }
        set { other.withLock { $0 = newValue } }
    }

    override func model() throws(CallError) -> CallAction {
        .setGroup(CallID(callUUID), with: callUUIDToGroupWith.map(CallID.init))
    }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
