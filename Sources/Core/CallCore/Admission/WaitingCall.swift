// An incoming call that is not announced yet, and one that never is.

public import CallModel

/// A call that waits until it is known whether it may ring.
public struct WaitingCall: Sendable, Hashable {
    enum Stage: Sendable, Hashable {
        /// The caller is being looked up.
        case lookUp
        /// The screeners whose verdict is awaited.
        case screening([ScreenerID])
    }

    public let id: CallID
    public let provider: ProviderID
    /// The provider's report of the call.
    public let update: CallUpdate
    public internal(set) var caller = CallerFacts()
    /// The strictest verdict so far.
    var screening: Screening?
    var stage = Stage.lookUp
    /// Whether it may ring only silently.
    var isSilenced = false
    /// The method call that is answered with the outcome.
    let reply: ReplyID
    /// Whether time has passed since it was reported.
    var hasWaited = false
    /// The provider's later reports.
    var reports: [WaitingReport] = []

    init(_ id: CallID, _ update: CallUpdate, of provider: ProviderID, reply: ReplyID) {
        self.id = id
        self.update = update
        self.provider = provider
        self.reply = reply
    }

    var names: CallerNames {
        var names = CallerNames()
        names.provider = update.localizedCallerName ?? ""
        names.network = update.networkName ?? ""
        names.apply(caller)
        return names
    }

    /// The caller's name, and where it comes from.
    public var callerName: String { names.shown }
    public var nameSource: CallerNameSource { names.shownSource }

    /// The contact with this name.
    public var contact: String { nameSource == .contacts ? caller.contact : "" }

    /// The handle by which callers are compared.
    var comparedHandle: Handle? { caller.normalized ?? update.remoteHandle }
}

extension CallerNames {
    /// Applies the name that was found for the handle.
    mutating func apply(_ caller: CallerFacts) {
        found = caller.name
        source = caller.nameSource
    }
}

/// A report that is applied when the call rings.
struct WaitingReport: Sendable, Hashable {
    let report: Report
    let reply: ReplyID
}

/// A screener's verdict on a call.
public struct Screening: Sendable, Hashable {
    public let verdict: ScreeningVerdict
    public let by: ScreenerID
}

/// A call that was kept from ringing, with the facts that the recents keep.
public struct FilteredCall: Sendable, Hashable {
    public enum Filter: Sendable, Hashable {
        /// `user`, or the identifier of a directory extension.
        case blockList(String)
        case doNotDisturb
        /// An emergency call is in progress.
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

    init(_ call: WaitingCall, _ reason: FilterReason, by filter: Filter, at now: Instant) {
        self.call = call.id
        provider = call.provider
        handle = call.update.remoteHandle
        callerName = call.callerName
        nameSource = call.nameSource
        hasVideo = call.update.hasVideo ?? false
        self.reason = reason
        by = filter
        text = call.screening?.verdict.reason ?? ""
        at = now
    }
}

extension Call {
    /// Applies the facts that arrived while the call waited.
    mutating func apply(_ call: WaitingCall) {
        if call.isSilenced || call.screening?.verdict.word == .silence { standing.silenced = true }
        names = call.names
        isLookedUp = !call.caller.isUnanswered && call.hasWaited
        details.contactIdentifier = call.contact
        contactImage = call.caller.image
        screening = call.screening
    }
}
