// The pure state machine: facts in, effects out. No I/O, no clock, no randomness.
//
// It is made of values with one task each: `admission` decides which incoming calls may ring, `line` carries out what
// requests and reports lead to, `audio` says who may play and record, `shown` is what observers see of all calls. They
// do not know each other: `CallMachine` connects them.

public import CallModel

/// Knows every provider, call, transaction and action under way, and decides what follows from each input.
///
/// A value: plans are made by trying them on a copy.
public struct CallMachine: Sendable {
    private(set) var line: Line
    private(set) var admission: Admission
    public private(set) var audio = AudioGrant()
    private(set) var shown = Shown()
    private(set) var hasStopped = false
    /// Whether this is a copy on which something is tried.
    private var isTrial = false

    public init(deadlines: Deadlines = Deadlines(), limits: Limits = Limits(), policy: Policy = .desktop) {
        line = Line(Standing(deadlines, limits, policy))
        admission = Admission(rememberedCallers: limits.rememberedCallers)
    }

    /// The facts that decisions read.
    var standing: Standing { _read { yield line.standing } }

    /// A copy on which something is tried.
    var trial: CallMachine {
        var copy = self
        copy.isTrial = true
        return copy
    }

    /// Takes one fact and returns its effects. Never traps, whatever the input.
    public mutating func apply(_ input: Input, at now: Instant) -> Effects {
        line.begin(at: now)
        receive(input)
        line.run()
        admission.dropAnswered(standing.calls, &line.outbox)
        let situation = standing.calls.situation
        audio.update(for: standing.calls, line: situation.line, during: standing.work.current, &line.outbox)
        if let suggested = line.popSuggestion(in: situation) { shown.suggest(suggested, &line.outbox) }
        if line.announceCalls(in: situation) { shown.update(for: standing.calls, in: situation, &line.outbox) }
        stopIfDone()
        if !isTrial { tellWhatFollows() }
        return line.outbox.close()
    }

    private mutating func receive(_ input: Input) {
        switch input {
        case .providerRegistered(let id, let configuration, let isPackaged, let owner):
            register(id, configuration, isPackaged, owner ?? .plugin(id.rawValue))
        case .providersKnown(let order): line.know(order)
        case .defaultProvidersSet(let choice): line.choose(defaults: choice)
        case .emergencyProvidersSet(let choice): line.mark(choice)
        case .providerReconfigured(let id, let configuration): line.reconfigure(id, configuration)
        case .providerLost(let id): lose(id)
        case .providerRestarted(let id): restart(id)
        case .providerRemoved(let id): remove(id)
        case .reported(let report, let provider, let reply): receive(report, by: provider, reply: reply)
        case .requested(let request, let reply): receive(request, reply: reply)
        case .actionFulfilled(let id, let date, let engine): line.complete(id, .fulfilled(date: date, engine: engine))
        case .actionFailed(let id, let word, let reason): line.complete(id, .refused(word, reason: reason))
        case .audioReleased(let provider): audio.released(by: provider, &line.outbox)
        case .timerFired(let timer): fire(timer)
        case .ringingSilenced: line.silenceRinging()
        case .doNotDisturbSet(let value): admission.doNotDisturb = value
        case .doNotDisturbRulesSet(let rules): admission.rules = rules
        case .lookUpExpected: if !standing.canLookUp { admission.expectLookUp() }
        case .lookUpAvailable(let value): lookUpBecomes(available: value)
        case .lookedUp(let call, let caller):
            line.name(call, caller)
            conclude(admission.lookedUp(call, caller, &line.outbox))
        case .screenerRegistered(let id): admission.screenerComes(id)
        case .screenerLost(let id): screenerLost(id)
        case .screened(let call, let id, let verdict): screened(call, by: id, verdict)
        case .audioAgentRegistered(let id): audio.agentComes(id, &line.outbox)
        case .audioAgentLost(let id): audio.agentGoes(id, &line.outbox)
        case .audioPrepared(let id, let provider, let failed):
            audio.prepared(by: id, for: provider, failed: failed, &line.outbox)
        case .shutdownRequested: shutDown()
        }
    }

    private mutating func fire(_ timer: TimerID) {
        switch timer {
        case .action(let action): if standing.work[action] != nil { line.complete(action, .timedOut) }
        case .ring(let call): line.ringingTimedOut(call)
        case .connect(let call): line.connectingTimedOut(call)
        case .linger(let call): line.removeEnded(call)
        case .audioRelease(let provider): audio.releaseTimedOut(provider, &line.outbox)
        case .audioPrepare(let provider): audio.preparationTimedOut(provider, &line.outbox)
        case .lookUp(let call): conclude(admission.lookedUp(call, .unanswered, isDue: true, &line.outbox))
        case .screen(let call): conclude(admission.screeningTimedOut(call, &line.outbox))
        }
    }

    /// Ends every call in order; `stop` follows when the last has ended.
    private mutating func shutDown() {
        guard !standing.isShuttingDown else { return }
        refuse(admission.popUndecided(&line.outbox), CallError(.invalidAction, "the call system is shutting down"))
        line.shutDown()
    }

    private mutating func stopIfDone() {
        guard standing.isShuttingDown, !hasStopped, standing.work.transactions.isEmpty, standing.calls.liveCount == 0
        else { return }
        hasStopped = true
        line.outbox.announce(.stop)
    }

    /// Completes the first actions of transactions with those that will follow if all goes well.
    private mutating func tellWhatFollows() {
        for id in line.popBegun() { line.announce(actionsToCome(of: id), of: id) }
    }

    // MARK: Providers

    private mutating func register(
        _ id: ProviderID, _ configuration: ProviderConfiguration, _ isPackaged: Bool, _ owner: Owner
    ) {
        let former = standing.providers[id]
        if former?.isReady == true { disconnect(id, .providerCrashed, .providerReplaced, rule: .providerDied) }
        line.register(id, configuration, isPackaged, owner, after: former)
    }

    /// Rule 18: its calls end, its actions fail, and other providers' calls do not change.
    private mutating func lose(_ id: ProviderID) {
        guard isUnavailable(id) else { return }
        disconnect(id, .providerCrashed, .providerDied, rule: .providerDied)
    }

    /// Rule 18 without a crash: the provider is told to take leave of its network, and keeps its place.
    private mutating func restart(_ id: ProviderID) {
        guard isUnavailable(id) else { return }
        disconnect(id, .providerRestarted, .providerRestarted, rule: .providerDied)
        line.outbox.append(.reset(id))
    }

    /// - Returns: whether the provider was ready until now.
    private mutating func isUnavailable(_ id: ProviderID) -> Bool {
        guard var provider = standing.providers[id], provider.isReady else { return false }
        provider.isReady = false
        line.outbox.append(.providerChanged(provider))
        return true
    }

    /// Invalidated, or its plugin taken away: calls end `failed` (CXProvider.invalidate).
    private mutating func remove(_ id: ProviderID) {
        guard let provider = standing.providers[id] else { return }
        disconnect(id, .failed, .providerLeft, rule: nil)
        line.remove(provider)
    }

    private mutating func disconnect(_ id: ProviderID, _ reason: EndReason, _ event: Cause.Event, rule: Rule?) {
        line.disconnect(id, reason, event, rule: rule)
        let error = CallError(.unknownProvider, "provider \(id) is unavailable")
        refuse(admission.popUndecided(of: id, &line.outbox), error)
        audio.lose(id, &line.outbox)
    }

    // MARK: Requests: checked on arrival, then admitted

    private mutating func receive(_ request: Request, reply: ReplyID) {
        let id = line.nextTransactionID()
        let request = standing.completed(request)
        do throws(CallError) {
            try standing.check(request, waiting: admission.waiting)
            if !isTrial {
                try line.count(request)
                if request.actions.count > 1 || request.replyMode == .accepted {
                    _ = try plan(request, at: standing.now).get()
                }
            }
        } catch {
            return line.outbox.reply(reply, .failed(error))
        }
        line.admit(request, as: id, reply: reply)
    }

    // MARK: Reports: facts about a provider's own calls, checked like all input from outside

    private mutating func receive(_ report: Report, by id: ProviderID, reply: ReplyID) {
        do throws(CallError) {
            guard let provider = standing.providers[id] else { throw CallError(.unknownProvider, "no provider \(id)") }
            guard provider.isReady else { throw CallError(.unknownProvider, "provider \(id) is unavailable") }
            let report = line.heeded(report, of: provider)
            if case .incoming(let call, let update) = report {
                return try receive(incoming: call, update, provider, reply: reply)
            }
            if case .ongoing(let call, let ongoing, let update) = report {
                try adopt(call, ongoing, update, provider)
                return line.outbox.reply(reply, .call(call))
            }
            if try admission.keep(report, by: id, reply: reply, limit: standing.limits.waitingReports) {
                return conclude(
                    admission.reconsider(report.call, canLookUp: standing.canLookUp, &line.outbox))
            }
            try apply(report, to: try standing.reported(report.call, by: id))
            line.outbox.reply(reply, .done)
        } catch {
            line.outbox.reply(reply, .failed(error))
        }
    }

    /// If it tells another caller, that one is looked up, and screened as long as the call rings.
    private mutating func apply(_ report: Report, to call: CallStanding) throws(CallError) {
        let former = standing.calls[call.id]?.caller
        try line.apply(report, to: call)
        guard let present = standing.calls[call.id], present.caller != former else { return }
        if present.state == .ringing, !present.emergency {
            let again = WaitingCall(ringing: present)
            conclude(admission.reconsider(again, canLookUp: standing.canLookUp, &line.outbox))
        } else {
            line.lookUp(call.id)
        }
    }

    /// Rule 24: takes over a call that a provider found, for instance after a restart, or that was dialed on its handset.
    ///
    /// - Throws: the refusal. Rule 4 does not apply, since the call is there already.
    private mutating func adopt(
        _ id: CallID, _ ongoing: OngoingCall, _ update: CallUpdate, _ provider: Provider
    ) throws(CallError) {
        try checkNew(id)
        let isEmergency = update.emergency ?? update.remoteHandle.map(provider.isEmergency) ?? false
        let emergencies = standing.calls.situation.emergencies()
        // Rule 19: no call displaces an emergency call, not even another one.
        guard !isEmergency || emergencies.isEmpty else {
            throw CallError(.emergencyInProgress, "emergency call in progress: \(Refusal.list(emergencies))")
        }
        if !isEmergency {
            try standing.checkNewCalls(of: provider.owner)
            try standing.checkRoom(for: provider, besides: admission.waiting)
            line.countNewCall(of: provider.owner)
        }
        line.adopt(id, ongoing, update, provider, isEmergency: isEmergency)
    }

    private func checkNew(_ id: CallID) throws(CallError) {
        guard !standing.isShuttingDown else { throw CallError(.invalidAction, "the call system is shutting down") }
        guard !standing.isTaken(id, admission.waiting) else {
            throw CallError(.callUUIDAlreadyExists, "call \(id) exists or existed")
        }
    }

    // MARK: A call comes in: it rings, is refused, or waits until it is known whether it may ring

    /// - Throws: the refusal that does not depend on the caller.
    private mutating func receive(
        incoming id: CallID, _ update: CallUpdate, _ provider: Provider, reply: ReplyID
    ) throws(CallError) {
        try checkNew(id)
        let isEmergency = update.emergency ?? false
        let call = WaitingCall(id, update, of: provider.id, reply: reply)
        if !isEmergency { try standing.checkNewCalls(of: provider.owner) }
        do throws(CallError) {
            try standing.checkRinging(provider, isEmergency: isEmergency, besides: admission.waiting)
        } catch {
            guard error.code == .emergencyInProgress else { throw error }
            line.countNewCall(of: provider.owner)
            return miss(call, error)
        }
        if !isEmergency { line.countNewCall(of: provider.owner) }
        guard !isEmergency else {
            line.ring(call, provider)
            line.outbox.reply(reply, .call(id))
            return
        }
        conclude(admission.admit(call, canLookUp: standing.canLookUp, &line.outbox))
    }

    /// Carries out what was decided about a call; nil if it waits.
    private mutating func conclude(_ outcome: Admission.Outcome?) {
        switch outcome {
        case .rings(let call)?: ring(call)
        case .isFiltered(let call, let reason, let list, let text)?: filter(call, reason, by: list, text)
        case nil: break
        }
    }

    /// Lets a call ring, unless there is no room any more, or ring on.
    private mutating func ring(_ call: WaitingCall) {
        guard let reply = call.reply else { return line.ringOn(call) }
        guard let provider = standing.providers[call.provider] else {
            return refuse(call, CallError(.unknownProvider, "provider \(call.provider) is unavailable"))
        }
        do throws(CallError) {
            if call.hasWaited { try standing.checkRinging(provider, isEmergency: false, besides: []) }
        } catch {
            return error.code == .emergencyInProgress ? miss(call, error) : refuse(call, error)
        }
        line.ring(call, provider)
        line.outbox.reply(reply, .call(call.id))
        for waiting in call.reports { receive(waiting.report, by: call.provider, reply: waiting.reply) }
    }

    /// An emergency call has the line, so this call is missed.
    private mutating func miss(_ call: WaitingCall, _ error: CallError) {
        filter(call, .emergency, by: .emergency, error.message)
    }

    /// Keeps a call from ringing, or from ringing on, and remembers that it came in; its identifier counts as used.
    private mutating func filter(
        _ call: WaitingCall, _ reason: FilterReason, by filter: FilteredCall.Filter, _ text: String
    ) {
        guard !call.rings else { return line.filter(call, Call.Filter(reason: reason, by: filter)) }
        line.markUsed(call.id)
        line.outbox.announce(.callFiltered(FilteredCall(call, reason, by: filter, at: standing.now)))
        refuse(call, CallError(reason.errorCode, text))
    }

    private mutating func refuse(_ calls: [WaitingCall], _ error: CallError) {
        for call in calls { refuse(call, error) }
    }

    /// Drops a call of which only its provider knows; of one that rings, only the decision.
    private mutating func refuse(_ call: WaitingCall, _ error: CallError) {
        guard let reply = call.reply else { return }
        line.outbox.reply(reply, .failed(error))
        for report in call.reports {
            line.outbox.reply(report.reply, .failed(CallError(.unknownCall, "no call \(call.id)")))
        }
    }

    private mutating func lookUpBecomes(available: Bool) {
        let unanswered = admission.lookUpBecomes(available: available, &line.outbox)
        line.lookUpBecomes(available: available)
        for id in unanswered { conclude(admission.lookedUp(id, .unanswered, &line.outbox)) }
        line.lookUpAll(besides: admission.undecided.map(\.id))
    }

    private mutating func screenerLost(_ id: ScreenerID) {
        admission.screenerGoes(id)
        for call in admission.undecided.map(\.id) { conclude(admission.receive(nil, on: call, by: id, &line.outbox)) }
    }

    private mutating func screened(_ id: CallID, by screener: ScreenerID, _ verdict: ScreeningVerdict?) {
        let isAwaited = admission.awaits(screener, on: id)
        conclude(admission.receive(verdict, on: id, by: screener, &line.outbox))
        guard isAwaited, verdict == nil else { return }
        line.outbox.note(
            .badVerdict, .system, "screener \(screener) gave no verdict that is allow, silence or reject")
    }
}
