// CXAnswerTransferCallAction: accepts or declines a transfer that the far side asks for.

internal import CallModel
internal import CallWire

/// Accepts or declines the transfer that the far side asks for (`CXCallUpdate.transferRequest`). Not in CallKit.
///
/// If it is accepted, the provider connects the call with the party, fulfills the action, and reports the new
/// `remoteHandle`: the call goes on. If the party cannot be reached, the provider fails the action, and the call goes on as
/// before. If it is declined, the provider tells the far side. Once the action is fulfilled, the request is over.
public final class CXAnswerTransferCallAction: CXCallAction, @unchecked Sendable {
    /// The party with which the call is to go on; nil to decline the transfer.
    public let handle: CXHandle?

    /// Creates a request to accept or to decline a transfer.
    /// - Parameters:
    ///   - callUUID: the call; it must be active or on hold, and its far side must ask for a transfer.
    ///   - handle: the party that the far side named, as the user saw it; nil to decline the transfer.
    public init(call callUUID: UUID, accepting handle: CXHandle?) {
        self.handle = handle
        super.init(call: callUUID)
    }

    init(_ wire: PerformWire, _ handle: Handle?, answer: @escaping Answer) {
        self.handle = handle.map { CXHandle($0) }
        super.init(wire, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case handle
    }

    public required init(from decoder: any Decoder) throws {
        handle = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(CXHandle.self, forKey: .handle)
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(handle, forKey: .handle)
        try super.encode(to: encoder)
    }

    override func model() throws(CallError) -> CallAction {
        .answerTransfer(CallID(callUUID), to: try handle?.model())
    }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
