// An incoming call of which nobody has been told yet, and one of which nobody will be.

public import CallModel

/// A call that waits until it is known whether it may ring.
public struct WaitingCall: Sendable, Hashable {
    enum Stage: Sendable, Hashable {
        /// It is not known who calls.
        case lookUp
        /// Who has not said yet what they make of it.
        case screening([ScreenerID])
    }

    public let id: CallID
    public let provider: ProviderID
    /// What its provider said of it.
    public let update: CallUpdate
    public internal(set) var caller = CallerFacts()
    /// The strictest verdict so far.
    var screening: Screening?
    var stage = Stage.lookUp
    /// Whether it may ring without a sound only.
    var isSilenced = false
    /// Waits for the outcome.
    let reply: ReplyID
    /// Whether time has passed since it was reported.
    var hasWaited = false
    /// What its provider reported since then.
    var reports: [WaitingReport] = []

    init(_ id: CallID, _ update: CallUpdate, of provider: ProviderID, reply: ReplyID) {
        self.id = id
        self.update = update
        self.provider = provider
        self.reply = reply
    }

    /// What the provider calls the caller wins over what others know.
    public var callerName: String { isNamedByProvider ? update.localizedCallerName ?? "" : caller.name }
    public var nameSource: CallerNameSource {
        isNamedByProvider ? .provider : caller.name.isEmpty ? .none : caller.nameSource
    }

    /// The contact whose name it has.
    public var contact: String { nameSource == .contacts ? caller.contact : "" }

    private var isNamedByProvider: Bool { update.localizedCallerName?.isEmpty == false }
}

/// A report that has its turn when the call rings.
struct WaitingReport: Sendable, Hashable {
    let report: Report
    let reply: ReplyID
}

/// What a screener said of a call.
public struct Screening: Sendable, Hashable {
    public let verdict: ScreeningVerdict
    public let by: ScreenerID
}

/// A call that was kept from ringing, with all that is to be remembered of it.
public struct FilteredCall: Sendable, Hashable {
    public enum Filter: Sendable, Hashable {
        /// `user`, or the identifier of a directory extension.
        case blockList(String)
        case doNotDisturb
        /// An emergency call goes on.
        case emergency
        case screener(ScreenerID)

        /// The word for it on the bus.
        public var word: String {
            switch self {
            case .blockList(let list): list
            case .doNotDisturb: "do-not-disturb"
            case .emergency: "emergency"
            case .screener: "screener"
            }
        }
    }

    public let call: CallID
    public let provider: ProviderID
    public let handle: Handle?
    public let callerName: String
    public let nameSource: CallerNameSource
    public let hasVideo: Bool
    public let reason: FilterReason
    public let by: Filter
    /// The screener's own words; empty if no screener filtered it.
    public let text: String
    /// When it was filtered.
    public let at: Instant
}
