// CXTransferCallAction: connects the far side of a call with another party.

internal import CallModel
internal import CallWire

/// Connects the far side of a call with another party. When it is fulfilled, the call ends as transferred, and so does the
/// other call of an attended transfer. Only a provider whose configuration has `supportsTransfer` gets it. Not in CallKit.
public final class CXTransferCallAction: CXCallAction, @unchecked Sendable {
    /// The party that is called in our place; nil for an attended transfer.
    public let handle: CXHandle?
    /// The call of the same provider whose far side is the other party; nil for a blind transfer.
    public let otherCallUUID: UUID?

    /// Creates a request for a blind transfer.
    /// - Parameters:
    ///   - callUUID: the call; it must be active or on hold.
    ///   - handle: the party that is called in our place.
    public init(call callUUID: UUID, to handle: CXHandle) {
        (self.handle, otherCallUUID) = (handle, nil)
        super.init(call: callUUID)
    }

    /// Creates a request for an attended transfer.
    /// - Parameters:
    ///   - callUUID: the call; it must be active or on hold.
    ///   - otherCallUUID: a call of the same provider, active or on hold.
    public init(call callUUID: UUID, toCall otherCallUUID: UUID) {
        (handle, self.otherCallUUID) = (nil, otherCallUUID)
        super.init(call: callUUID)
    }

    init(_ wire: PerformWire, _ target: TransferTarget, answer: @escaping Answer) {
        switch target {
        case .handle(let model): (handle, otherCallUUID) = (CXHandle(model), nil)
        case .call(let other): (handle, otherCallUUID) = (nil, UUID(other))
        }
        super.init(wire, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case handle, otherCallUUID
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        handle = try values.decodeIfPresent(CXHandle.self, forKey: .handle)
        otherCallUUID = try values.decodeIfPresent(UUID.self, forKey: .otherCallUUID)
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(handle, forKey: .handle)
        try values.encodeIfPresent(otherCallUUID, forKey: .otherCallUUID)
        try super.encode(to: encoder)
    }

    override func model() throws(CallError) -> CallAction {
        if let handle { return .transfer(CallID(callUUID), .handle(try handle.model())) }
        guard let otherCallUUID else { throw CallError(.invalidArguments, "the transfer has no target") }
        return .transfer(CallID(callUUID), .call(CallID(otherCallUUID)))
    }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
