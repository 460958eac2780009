// A call comes in: it rings, is refused, or waits until it is known whether it may ring.

import CallModel

extension CallMachine {
    /// - Throws: the refusal that does not depend on the caller.
    mutating func take(
        incoming id: CallID, _ update: CallUpdate, _ provider: Provider, reply: ReplyID
    ) throws(CallError) {
        guard !isShuttingDown else { throw CallError(.invalidAction, "the call system is shutting down") }
        guard !standing.isTaken(id, admission.waiting) else {
            throw CallError(.callUUIDAlreadyExists, "call \(id) exists or existed")
        }
        let isEmergency = update.emergency ?? false
        let call = WaitingCall(id, update, of: provider.id, reply: reply)
        if !isEmergency { try standing.checkNewCalls(of: provider.owner) }
        do throws(CallError) {
            try standing.checkRinging(provider, isEmergency: isEmergency, besides: admission.waiting)
        } catch {
            guard error.code == .emergencyInProgress else { throw error }
            countNewCall(of: provider.owner)
            return miss(call, error)
        }
        if !isEmergency { countNewCall(of: provider.owner) }
        guard !isEmergency else {
            ring(call, provider)
            effects.reply(reply, .call(id))
            return
        }
        conclude(admission.admit(call, &effects))
    }

    /// Carries out what was decided about a call; nil if it waits.
    mutating func conclude(_ outcome: Admission.Outcome?) {
        switch outcome {
        case .rings(let call)?: ring(call)
        case .isFiltered(let call, let reason, let list, let text)?: filter(call, reason, by: list, text)
        case nil: break
        }
    }

    /// Lets a call ring, unless there is no room any more.
    private mutating func ring(_ call: WaitingCall) {
        guard let provider = providers[call.provider] else {
            return refuse(call, CallError(.unknownProvider, "provider \(call.provider) is unavailable"))
        }
        do throws(CallError) {
            if call.hasWaited { try standing.checkRinging(provider, isEmergency: false, besides: []) }
        } catch {
            return error.code == .emergencyInProgress ? miss(call, error) : refuse(call, error)
        }
        ring(call, provider)
        effects.reply(call.reply, .call(call.id))
        for waiting in call.reports { take(waiting.report, by: call.provider, reply: waiting.reply) }
    }

    private mutating func ring(_ waited: WaitingCall, _ provider: Provider) {
        var call = Call(id: waited.id, provider: provider, direction: .incoming, state: .ringing)
        call.apply(waited.update)
        call.apply(waited)
        add(call, cause: Cause(.reported, by: .provider(provider.id)))
        effects.arm(.ring(call.id), after: .ring)
        if let handle = waited.update.remoteHandle { noteUndeclaredType(handle, provider) }
    }

    /// An emergency call has the line, so this call is missed.
    private mutating func miss(_ call: WaitingCall, _ error: CallError) {
        filter(call, .emergency, by: .emergency, error.message)
    }

    /// Keeps a call from ringing, and remembers that it came in; its identifier counts as used.
    private mutating func filter(
        _ call: WaitingCall, _ reason: FilterReason, by filter: FilteredCall.Filter, _ text: String
    ) {
        calls.markUsed(call.id)
        effects.announce(.callFiltered(FilteredCall(call, reason, by: filter, at: now)))
        refuse(call, CallError(reason.errorCode, text))
    }

    /// Drops a call of which only its provider knows.
    private mutating func refuse(_ call: WaitingCall, _ error: CallError) {
        effects.reply(call.reply, .failed(error))
        for report in call.reports {
            effects.reply(report.reply, .failed(CallError(.unknownCall, "no call \(call.id)")))
        }
    }

    /// Drops a provider's waiting calls when the provider goes.
    mutating func dropWaiting(of provider: ProviderID) {
        for call in admission.takeWaiting(of: provider, &effects) {
            refuse(call, CallError(.unknownProvider, "provider \(call.provider) is unavailable"))
        }
    }

    /// No call begins to ring any more.
    mutating func dropWaiting() {
        for call in admission.takeWaiting(&effects) {
            refuse(call, CallError(.invalidAction, "the call system is shutting down"))
        }
    }

    // MARK: New facts about a waiting call

    mutating func lookUpBecomes(available: Bool) {
        for id in admission.lookUpBecomes(available: available, &effects) {
            conclude(admission.lookedUp(id, .unanswered, &effects))
        }
        for call in calls.live { lookUp(call.id) }
    }

    mutating func screenerLost(_ id: ScreenerID) {
        admission.screenerGoes(id)
        for call in admission.waiting.map(\.id) { conclude(admission.take(nil, on: call, by: id, &effects)) }
    }

    mutating func screened(_ id: CallID, by screener: ScreenerID, _ verdict: ScreeningVerdict?) {
        let isAwaited = admission.awaits(screener, on: id)
        conclude(admission.take(verdict, on: id, by: screener, &effects))
        guard isAwaited, verdict == nil else { return }
        effects.note(
            .badVerdict, .system, "screener \(screener) gave no verdict that is allow, silence or reject")
    }
}

extension Call {
    /// Applies the facts that arrived while the call waited.
    fileprivate mutating func apply(_ call: WaitingCall) {
        if call.isSilenced || call.screening?.verdict.word == .silence { standing.silenced = true }
        names = call.names
        isLookedUp = !call.caller.isUnanswered && call.hasWaited
        details.contactIdentifier = call.contact
        contactImage = call.caller.image
        screening = call.screening
    }
}
