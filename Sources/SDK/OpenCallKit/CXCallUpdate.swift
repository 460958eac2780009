// CXCallUpdate: the properties of a call that a provider reports.

package import CallModel

/// New values of a call's properties (CallKit: CXCallUpdate). In the first report, capabilities that are not set count
/// as supported; in later reports, properties that are not set do not change.
public final class CXCallUpdate {
    /// The handle of the other party.
    public var remoteHandle: CXHandle?
    /// The name to show, in place of a name from an address book; 256 characters are kept.
    public var localizedCallerName: String?

    /// The name that the network claims for the other party, such as a SIP display name. The user's contacts, favorites
    /// and labels are shown instead if they have a name; 256 characters are kept. Not in CallKit.
    public var networkName: String?
    /// The handle that was called at first and has forwarded the call. Not in CallKit.
    public var divertedBy: CXHandle?
    /// The file of a picture of the other party, PNG or JPEG. Not in CallKit.
    public var imageURL: URL?

    /// Whether the network vouches for a caller's handle (STIR/SHAKEN). Not in CallKit.
    public enum Verification: String, Hashable, Sendable, CaseIterable {
        /// The network vouches for the handle.
        case passed
        /// The handle is forged.
        case failed
        /// The network does not say.
        case none
    }

    /// How far an outgoing call has come. Not in CallKit.
    public enum Progress: String, Hashable, Sendable, CaseIterable {
        /// The network has the request.
        case trying
        /// It rings at the far side.
        case alerting
        /// The network plays tones or announcements.
        case earlyMedia = "early-media"
        /// The call was forwarded to another handle.
        case forwarded
        /// The call waits in a queue at the far side.
        case queued
    }

    /// Whether the far side asks that the call go on with somebody else. Not in CallKit.
    public enum TransferRequest: Hashable, Sendable {
        /// It asks to go on with this party.
        case to(CXHandle)
        /// It does not ask any more.
        case withdrawn
    }

    /// Whether the far side withholds its handle from now on; `remoteHandle` is nil then. Not in CallKit.
    public var isHandleWithheld = false

    /// The far side's request for a transfer. The user accepts or declines it, and the provider gets a
    /// `CXAnswerTransferCallAction`. Not in CallKit.
    public var transferRequest: TransferRequest?

    private var capabilities = CallUpdate()

    /// Creates an update in which nothing is set.
    public init() {}

    /// Whether the call can be held on its own, or swapped with another.
    public var supportsHolding: Bool {
        get { capabilities.supportsHolding ?? true }
        set { capabilities.supportsHolding = newValue }
    }

    /// Whether the call can be grouped with others.
    public var supportsGrouping: Bool {
        get { capabilities.supportsGrouping ?? true }
        set { capabilities.supportsGrouping = newValue }
    }

    /// Whether the call can leave a group.
    public var supportsUngrouping: Bool {
        get { capabilities.supportsUngrouping ?? true }
        set { capabilities.supportsUngrouping = newValue }
    }

    /// Whether the call supports touch tones.
    public var supportsDTMF: Bool {
        get { capabilities.supportsDTMF ?? true }
        set { capabilities.supportsDTMF = newValue }
    }

    /// Whether the call has video.
    public var hasVideo: Bool {
        get { capabilities.hasVideo ?? false }
        set { capabilities.hasVideo = newValue }
    }

    /// Whether the call can be held at the moment. Not in CallKit.
    public var canHoldNow: Bool {
        get { capabilities.canHoldNow ?? true }
        set { capabilities.canHoldNow = newValue }
    }

    /// Whether the far side has put this side on hold. Not in CallKit.
    public var isRemoteHeld: Bool {
        get { capabilities.remoteHeld ?? false }
        set { capabilities.remoteHeld = newValue }
    }

    /// True if the network has held the call by itself; false if it requests a resume, which may be refused. Not in
    /// CallKit.
    public var isOnHold: Bool? {
        get { capabilities.onHold }
        set { capabilities.onHold = newValue }
    }

    /// Whether an incoming call comes from an emergency service; such a call is never filtered. Not in CallKit.
    public var isEmergency: Bool {
        get { capabilities.emergency ?? false }
        set { capabilities.emergency = newValue }
    }

    /// Whether the network vouches for `remoteHandle`. Not in CallKit.
    public var verification: Verification? {
        get { capabilities.verification.flatMap { Verification(rawValue: $0.rawValue) } }
        set { capabilities.verification = newValue.flatMap { CallerVerification(rawValue: $0.rawValue) } }
    }

    /// How far an outgoing call has come; it counts until the call connects. Not in CallKit.
    public var progress: Progress? {
        get { capabilities.progress.flatMap { Progress(rawValue: $0.rawValue) } }
        set { capabilities.progress = newValue.flatMap { CallProgress(rawValue: $0.rawValue) } }
    }

    /// How the sound is encrypted on its way, in a word such as `srtp-dtls`; 64 characters are kept. Not in CallKit.
    public var encryption: String? {
        get { capabilities.encryption }
        set { capabilities.encryption = newValue }
    }

    /// How the sound is coded, in a word such as `opus/48000`; 64 characters are kept. Not in CallKit.
    public var codec: String? {
        get { capabilities.codec }
        set { capabilities.codec = newValue }
    }

    /// How well the sound of a call travels. Not in CallKit.
    public struct Quality: Hashable, Sendable {
        /// The time to the far side and back, in seconds; nil if it is not known.
        public var roundTrip: TimeInterval?
        /// By how much the time between packets varies, in seconds; nil if it is not known.
        public var jitter: TimeInterval?
        /// The share of packets that are lost, 0 to 1; nil if it is not known.
        public var loss: Double?

        /// Creates a quality.
        /// - Parameters:
        ///   - roundTrip: the time to the far side and back, in seconds.
        ///   - jitter: by how much the time between packets varies, in seconds.
        ///   - loss: the share of packets that are lost, 0 to 1.
        public init(roundTrip: TimeInterval? = nil, jitter: TimeInterval? = nil, loss: Double? = nil) {
            (self.roundTrip, self.jitter, self.loss) = (roundTrip, jitter, loss)
        }

        var model: CallQuality {
            func thousandths(_ value: Double?) -> UInt32? {
                value.flatMap { UInt32(exactly: ($0 * 1000).rounded()) }
            }
            return CallQuality(
                roundTrip: thousandths(roundTrip), jitter: thousandths(jitter), loss: thousandths(loss))
        }
    }

    /// How well the sound travels; report it at most every five seconds. Not in CallKit.
    public var quality: Quality?

    /// - Throws: `InvalidArguments` for an invalid handle.
    package func model() throws(CallError) -> CallUpdate {
        var update = capabilities
        update.remoteHandle = try remoteHandle?.model()
        update.withholdsHandle = isHandleWithheld
        update.localizedCallerName = localizedCallerName
        update.networkName = networkName
        update.divertedBy = try divertedBy?.model()
        update.image = imageURL?.path
        update.quality = quality?.model
        switch transferRequest {
        case .to(let handle): update.transferRequest = .to(try handle.model())
        case .withdrawn: update.transferRequest = .withdrawn
        case nil: break
        }
        return update
    }
}
