// Who may ring: allow list, block lists, Do Not Disturb, screening, in this order.

import CallModel

/// Keeps the incoming calls that wait for a look-up or a screener, and decides which of them ring.
///
/// Takes facts about callers, screeners and Do Not Disturb, and returns the decision on a call. The machine makes
/// the call ring if there is room then, or refuses it.
struct Admission: Sendable {
    /// The decision on a call that no longer waits.
    enum Outcome: Sendable {
        case rings(WaitingCall)
        /// The text is the error message for the provider.
        case isFiltered(WaitingCall, FilterReason, by: FilteredCall.Filter, String)
    }

    var doNotDisturb = false
    var rules = DoNotDisturbRules()
    /// The incoming calls on which is not decided yet, the oldest first.
    private(set) var undecided: [WaitingCall] = []
    private(set) var isLookUpAway = false
    /// Whether callers will be looked up soon for the first time.
    private(set) var isLookUpExpected = false
    private(set) var screeners: [ScreenerID] = []
    /// The screeners that gave no verdict in time, and none since: they are asked, and not waited for.
    private(set) var silentScreeners: Set<ScreenerID> = []
    private(set) var turnedAway = RecentCallers()
    let rememberedCallers: Int

    init(rememberedCallers: Int) { self.rememberedCallers = rememberedCallers }

    /// Those that are not announced yet.
    var waiting: [WaitingCall] { undecided.filter { !$0.rings } }

    /// Takes a call that was just reported, and looks its caller up if that is possible.
    ///
    /// - Parameter canLookUp: whether callers can be looked up now.
    /// - Returns: nil if the call waits.
    mutating func admit(_ call: WaitingCall, canLookUp: Bool, _ effects: inout Outbox) -> Outcome? {
        var call = call
        call.caller.isUnanswered = isLookUpAway
        guard canLookUp || isLookUpExpected else { return judge(call, &effects) }
        wait(call)
        if canLookUp { ask(about: call, &effects) } else { effects.arm(.lookUp(call.id), after: .storeStart) }
        return nil
    }

    /// Decides anew on a call that rings, since its provider told another caller.
    ///
    /// - Returns: nil if that takes time; the call rings on meanwhile.
    mutating func reconsider(_ call: WaitingCall, canLookUp: Bool, _ effects: inout Outbox) -> Outcome? {
        remove(where: { $0.id == call.id }, &effects)
        return admit(call, canLookUp: canLookUp, &effects)
    }

    /// Begins anew with a call that waits, if its provider told another caller.
    mutating func reconsider(_ id: CallID, canLookUp: Bool, _ effects: inout Outbox) -> Outcome? {
        guard let call = undecided.first(where: { $0.id == id && $0.isOfAnother }) else { return nil }
        return reconsider(call.asNew, canLookUp: canLookUp, &effects)
    }

    /// Forgets the calls that have rung: nobody decides on them any longer.
    mutating func dropAnswered(_ calls: CallTable, _ effects: inout Outbox) {
        guard undecided.contains(where: \.rings) else { return }
        remove(where: { $0.rings && calls.standing(of: $0.id)?.state != .ringing }, &effects)
    }

    private func ask(about call: WaitingCall, _ effects: inout Outbox) {
        effects.append(.lookUp(call.id, call.update.remoteHandle))
        effects.arm(.lookUp(call.id), after: .lookUp)
    }

    /// Decides on a call once the look-up of its caller has ended.
    private mutating func judge(_ call: WaitingCall, _ effects: inout Outbox) -> Outcome? {
        guard !call.caller.isAllowed else { return .rings(call) }
        if let list = call.caller.blockedBy {
            return .isFiltered(call, .blocked, by: .blockList(list), "the caller is on a block list")
        }
        guard doNotDisturb, !isExcepted(call, effects) else { return screen(call, &effects) }
        if call.caller.isUnanswered {
            // There may be an exception for the caller: the call neither disturbs nor is turned away.
            var call = call
            call.isSilenced = true
            return screen(call, &effects)
        }
        if let handle = call.comparedHandle {
            turnedAway.note(handle, at: effects.now, limit: rememberedCallers)
        }
        return .isFiltered(call, .doNotDisturb, by: .doNotDisturb, "do not disturb is on")
    }

    private func isExcepted(_ call: WaitingCall, _ effects: Outbox) -> Bool {
        if rules.allowedProviders.contains(call.provider) { return true }
        if rules.allowsFavorites, call.caller.isFavorite { return true }
        guard rules.allowsRepeated, let handle = call.comparedHandle else { return false }
        return turnedAway.contains(
            handle, at: effects.now, withinMilliseconds: effects.deadlines[.repeatedCaller])
    }

    // MARK: Looking up

    mutating func expectLookUp() { isLookUpExpected = true }

    /// - Returns: the calls whose look-up will not be answered any more.
    mutating func lookUpBecomes(available: Bool, _ effects: inout Outbox) -> [CallID] {
        let calls = undecided.filter { $0.stage == .lookUp }
        if available, isLookUpExpected {
            for call in calls {
                effects.append(.disarm(call.timer))
                ask(about: call, &effects)
            }
        }
        isLookUpAway = !available
        isLookUpExpected = false
        return available ? [] : calls.map(\.id)
    }

    /// - Parameter isDue: whether the deadline has passed.
    mutating func lookedUp(
        _ id: CallID, _ caller: CallerFacts, isDue: Bool = false, _ effects: inout Outbox
    ) -> Outcome? {
        guard let index = undecided.firstIndex(where: { $0.id == id }), undecided[index].stage == .lookUp,
            caller.isAbout(Caller(undecided[index].update.remoteHandle))
        else { return nil }
        var call = undecided.remove(at: index)
        if !isDue { effects.append(.disarm(call.timer)) }
        call.caller = caller
        return judge(call, &effects)
    }

    // MARK: Screening

    mutating func screenerComes(_ id: ScreenerID) {
        if !screeners.contains(id) { screeners.append(id) }
    }

    mutating func screenerGoes(_ id: ScreenerID) {
        screeners.removeAll { $0 == id }
        silentScreeners.remove(id)
    }

    /// Asks all screeners at once, and waits for those that have answered the last time.
    private mutating func screen(_ call: WaitingCall, _ effects: inout Outbox) -> Outcome? {
        for screener in screeners { effects.append(.screen(call, by: screener)) }
        let awaited = screeners.filter { !silentScreeners.contains($0) }
        guard !awaited.isEmpty else { return .rings(call) }
        var call = call
        call.stage = .screening(awaited)
        wait(call)
        effects.arm(.screen(call.id), after: .screen)
        return nil
    }

    /// Whether the call waits for the screener's verdict.
    func awaits(_ screener: ScreenerID, on id: CallID) -> Bool {
        guard case .screening(let awaited)? = undecided.first(where: { $0.id == id })?.stage else { return false }
        return awaited.contains(screener)
    }

    /// Receives a verdict; nil lets the call through. The strictest counts, and a rejection counts at once.
    mutating func receive(
        _ verdict: ScreeningVerdict?, on id: CallID, by screener: ScreenerID, _ effects: inout Outbox
    ) -> Outcome? {
        silentScreeners.remove(screener)
        guard let index = undecided.firstIndex(where: { $0.id == id }),
            case .screening(let awaited) = undecided[index].stage, awaited.contains(screener)
        else { return nil }
        let left = awaited.filter { $0 != screener }
        undecided[index].stage = .screening(left)
        if let verdict, undecided[index].screening.map({ $0.verdict.word < verdict.word }) ?? true {
            undecided[index].screening = Screening(verdict: verdict, by: screener)
        }
        guard left.isEmpty || verdict?.word == .reject else { return nil }
        effects.append(.disarm(.screen(id)))
        return concludeScreening(at: index)
    }

    /// The deadline for verdicts has passed.
    mutating func screeningTimedOut(_ id: CallID, _ effects: inout Outbox) -> Outcome? {
        guard let index = undecided.firstIndex(where: { $0.id == id }),
            case .screening(let awaited) = undecided[index].stage
        else { return nil }
        for screener in awaited {
            silentScreeners.insert(screener)
            effects.note(
                .slowScreener, .system,
                "screener \(screener) said nothing within \(effects.deadlines[.screen]) ms; until it answers, calls do not wait for it"
            )
        }
        return concludeScreening(at: index)
    }

    private mutating func concludeScreening(at index: Int) -> Outcome {
        let call = undecided.remove(at: index)
        guard let screening = call.screening, screening.verdict.word == .reject else { return .rings(call) }
        let reason = screening.verdict.filter
        return .isFiltered(
            call, reason, by: .screener(screening.by), "a screener rejected the call: \(reason.rawValue)")
    }

    // MARK: Waiting

    private mutating func wait(_ call: WaitingCall) {
        undecided.append(call)
        undecided[undecided.count - 1].hasWaited = true
    }

    /// Keeps a report about a waiting call until the call rings.
    ///
    /// - Returns: false if the provider has no waiting call with this identifier.
    mutating func keep(
        _ report: Report, by provider: ProviderID, reply: ReplyID, limit: Int
    ) throws(CallError) -> Bool {
        guard let index = undecided.firstIndex(where: { $0.id == report.call && $0.provider == provider && !$0.rings })
        else { return false }
        guard undecided[index].reports.count < limit else {
            throw CallError(.limitsExceeded, "\(limit) reports about call \(report.call) wait for it to ring")
        }
        undecided[index].keep(report, reply: reply)
        return true
    }

    /// Removes and returns the calls on which is not decided, of one provider or all.
    mutating func popUndecided(of provider: ProviderID? = nil, _ effects: inout Outbox) -> [WaitingCall] {
        remove(where: { provider == nil || $0.provider == provider }, &effects)
    }

    @discardableResult
    private mutating func remove(
        where isMeant: (WaitingCall) -> Bool, _ effects: inout Outbox
    ) -> [WaitingCall] {
        let taken = undecided.filter(isMeant)
        undecided.removeAll(where: isMeant)
        for call in taken { effects.append(.disarm(call.timer)) }
        return taken
    }
}

extension WaitingCall {
    /// The timer for what it waits for.
    fileprivate var timer: TimerID {
        switch stage {
        case .lookUp: .lookUp(id)
        case .screening: .screen(id)
        }
    }
}

extension ScreenerID: CustomStringConvertible {
    public var description: String { "s\(number)" }
}
