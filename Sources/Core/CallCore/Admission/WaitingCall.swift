// An incoming call that is not announced yet, and one that never is.

public import CallModel

/// A call that waits until it is known whether it may ring, or may ring on.
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
    public internal(set) var update: CallUpdate
    public internal(set) var caller = CallerFacts()
    /// The strictest verdict so far.
    var screening: Screening?
    var stage = Stage.lookUp
    /// Whether it may ring only silently.
    var isSilenced = false
    /// The method call that is answered with the outcome; nil for a call that rings, of which another caller was told.
    let reply: ReplyID?
    /// Whether time has passed since it was reported.
    var hasWaited = false
    /// The provider's later reports.
    var reports: [WaitingReport] = []
    /// Whether they tell of another caller.
    var isOfAnother = false

    init(_ id: CallID, _ update: CallUpdate, of provider: ProviderID, reply: ReplyID) {
        self.id = id
        self.update = update
        self.provider = provider
        self.reply = reply
    }

    init(ringing call: Call) {
        id = call.id
        update = CallUpdate()
        (update.remoteHandle, update.withholdsHandle) = (call.handle, call.handle == nil)
        (update.localizedCallerName, update.networkName) = (call.names.provider, call.names.network)
        update.hasVideo = call.video
        provider = call.provider
        reply = nil
    }

    /// Whether it rings already.
    var rings: Bool { reply == nil }

    /// Keeps a later report. Who is at the far side counts at once, if the report is possible before the call is answered.
    mutating func keep(_ report: Report, reply: ReplyID) {
        var report = report
        if case .updated(_, let update) = report, update.onHold == nil, update.progress == nil {
            if let caller = update.caller, caller != Caller(self.update.remoteHandle) { isOfAnother = true }
            self.update.identify(by: update)
            report = .updated(id, update.withoutIdentity)
        }
        reports.append(WaitingReport(report: report, reply: reply))
    }

    /// The call before anything is known of its caller.
    var asNew: WaitingCall {
        var call = self
        (call.caller, call.screening, call.stage) = (CallerFacts(), nil, .lookUp)
        (call.isSilenced, call.isOfAnother) = (false, false)
        return call
    }

    var names: CallerNames {
        var names = CallerNames()
        names.provider = update.localizedCallerName ?? ""
        names.network = update.networkName ?? ""
        if !caller.isUnanswered { names.apply(caller) }
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
        names = call.names
        let isFound = !call.caller.isUnanswered
        lookedUp = isFound && call.hasWaited ? caller : nil
        details.contactIdentifier = isFound ? call.contact : ""
        contactImage = isFound ? call.caller.image : ""
        applyVerdict(on: call)
    }

    /// Applies how the call may ring.
    mutating func applyVerdict(on call: WaitingCall) {
        standing.isSilencedByRules = call.isSilenced || call.screening?.verdict.word == .silence
        screening = call.screening
    }
}
