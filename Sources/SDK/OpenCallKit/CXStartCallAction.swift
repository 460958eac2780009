// CXStartCallAction: call somebody.

internal import CallModel
internal import CallWire
internal import Synchronization

/// Begins an outgoing call (CallKit: CXStartCallAction). Fulfil it when the call has been sent on its way, then report
/// it connecting and connected.
public final class CXStartCallAction: CXCallAction, @unchecked Sendable {
    private struct Details {
        var handle: CXHandle
        var isVideo = false
        var contactIdentifier: String?
    }

    private let details: Mutex<Details>

    /// A request to call somebody.
    /// - Parameters:
    ///   - callUUID: names the call from now on; one that was ever used is refused as `callUUIDAlreadyExists`.
    ///   - handle: who is called.
    public init(call callUUID: UUID, handle: CXHandle) {
        details = Mutex(Details(handle: handle))
        super.init(call: callUUID)
    }

    init(
        _ wire: PerformWire, handle: Handle, video: Bool, contact: String, answer: @escaping @Sendable (Outcome) -> Void
    ) {
        details = Mutex(
            Details(handle: CXHandle(handle), isVideo: video, contactIdentifier: contact.isEmpty ? nil : contact))
        super.init(wire, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case handle, isVideo, contactIdentifier
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        details = Mutex(
            Details(
                handle: try values.decode(CXHandle.self, forKey: .handle),
                isVideo: try values.decode(Bool.self, forKey: .isVideo),
                contactIdentifier: try values.decodeIfPresent(String.self, forKey: .contactIdentifier)))
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(handle, forKey: .handle)
        try values.encode(isVideo, forKey: .isVideo)
        try values.encodeIfPresent(contactIdentifier, forKey: .contactIdentifier)
        try super.encode(to: encoder)
    }

    /// Who is called.
    public var handle: CXHandle {
        get { details.withLock { $0.handle } }
        set { details.withLock { $0.handle = newValue } }
    }

    /// Whether the call is to have video; false at first.
    public var isVideo: Bool {
        get { details.withLock { $0.isVideo } }
        set { details.withLock { $0.isVideo = newValue } }
    }

    /// An address book's identifier of the one who is called.
    public var contactIdentifier: String? {
        get { details.withLock { $0.contactIdentifier } }
        set { details.withLock { $0.contactIdentifier = newValue } }
    }

    /// Says that the call was sent on its way at `dateStarted`.
    public func fulfill(withDateStarted dateStarted: Date) { fulfill(at: dateStarted) }

    override func model() throws(CallError) -> CallAction {
        let details = details.withLock { $0 }
        let start = StartRequest(
            try details.handle.model(), video: details.isVideo, contact: details.contactIdentifier ?? "")
        return .start(CallID(callUUID), start)
    }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
