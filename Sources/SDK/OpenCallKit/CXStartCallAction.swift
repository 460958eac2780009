// CXStartCallAction: starts an outgoing call.

internal import CallModel
internal import CallWire
internal import Synchronization

/// Starts an outgoing call (CallKit: CXStartCallAction). Fulfill it when the network has accepted the call, then report
/// the call connecting and connected.
public final class CXStartCallAction: CXCallAction, @unchecked Sendable {
    private struct Details {
        var handle: CXHandle
        var isVideo = false
        var contactIdentifier: String?
        var hidesNumber: Bool?
    }

    private let details: Mutex<Details>

    /// Creates a request to start a call.
    /// - Parameters:
    ///   - callUUID: the new call's identifier; one that was ever used before is refused as `callUUIDAlreadyExists`.
    ///   - handle: the handle to call.
    public init(call callUUID: UUID, handle: CXHandle) {
        details = Mutex(Details(handle: handle))
        super.init(call: callUUID)
    }

    init(
        _ wire: PerformWire, _ start: StartRequest, answer: @escaping Answer
    ) {
        details = Mutex(
            Details(
                handle: CXHandle(start.handle), isVideo: start.video,
                contactIdentifier: start.contact.isEmpty ? nil : start.contact, hidesNumber: start.hidesNumber))
        super.init(wire, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case handle, isVideo, contactIdentifier, hidesNumber
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        details = Mutex(
            Details(
                handle: try values.decode(CXHandle.self, forKey: .handle),
                isVideo: try values.decode(Bool.self, forKey: .isVideo),
                contactIdentifier: try values.decodeIfPresent(String.self, forKey: .contactIdentifier),
                hidesNumber: try values.decodeIfPresent(Bool.self, forKey: .hidesNumber)))
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(handle, forKey: .handle)
        try values.encode(isVideo, forKey: .isVideo)
        try values.encodeIfPresent(contactIdentifier, forKey: .contactIdentifier)
        try values.encodeIfPresent(hidesNumber, forKey: .hidesNumber)
        try super.encode(to: encoder)
    }

    /// The handle to call.
    public var handle: CXHandle {
        get { details.withLock { $0.handle } }
        set { details.withLock { $0.handle = newValue } }
    }

    /// Whether the call should have video; default false.
    public var isVideo: Bool {
        get { details.withLock { $0.isVideo } }
        set { details.withLock { $0.isVideo = newValue } }
    }

    /// The address book's identifier of the person to call.
    public var contactIdentifier: String? {
        get { details.withLock { $0.contactIdentifier } }
        set { details.withLock { $0.contactIdentifier = newValue } }
    }

    /// Whether the far side is not to see the user's own number; nil, which is the default: as the network does it for other
    /// calls. Only a provider whose configuration has `supportsHidingNumber` gets a call with a value. Not in CallKit.
    public var hidesNumber: Bool? {
        get { details.withLock { $0.hidesNumber } }
        set { details.withLock { $0.hidesNumber = newValue } }
    }

    /// Reports that the call was started at `dateStarted`.
    public func fulfill(withDateStarted dateStarted: Date) { fulfill(at: dateStarted) }

    override func model() throws(CallError) -> CallAction {
        let details = details.withLock { $0 }
        var start = StartRequest(
            try details.handle.model(), video: details.isVideo, contact: details.contactIdentifier ?? "")
        start.hidesNumber = details.hidesNumber
        return .start(CallID(callUUID), start)
    }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
