// A call comes in: it rings, is refused, or waits until it is known whether it may ring.

import CallModel

extension CallMachine {
    /// - Throws: what is wrong with it, whoever calls.
    mutating func take(
        incoming id: CallID, _ update: CallUpdate, _ provider: Provider, reply: ReplyID
    ) throws(CallError) {
        guard !isShuttingDown else { throw CallError(.invalidAction, "the call system is shutting down") }
        guard !isTaken(id) else { throw CallError(.callUUIDAlreadyExists, "call \(id) exists or existed") }
        let isEmergency = update.emergency ?? false
        var call = WaitingCall(id, update, of: provider.id, reply: reply)
        do throws(CallError) {
            try checkRinging(provider, isEmergency: isEmergency, besides: waiting)
        } catch {
            guard error.code == .emergencyInProgress else { throw error }
            return miss(call, error)
        }
        guard !isEmergency else {
            ring(id, update, provider)
            effects.append(.reply(reply, .call(id)))
            return
        }
        call.caller.isUnanswered = isLookUpAway
        guard canLookUp else { return filter(call) }
        wait(call)
        effects.append(.lookUp(id, update.remoteHandle))
        effects.append(.arm(.lookUp(id), at: now.advanced(byMilliseconds: deadlines[.lookUp])))
    }

    mutating func wait(_ call: WaitingCall) {
        waiting.append(call)
        waiting[waiting.count - 1].hasWaited = true
    }

    /// Whether there is room for a call to ring, in the world as it is now.
    private func checkRinging(
        _ provider: Provider, isEmergency: Bool, besides others: [WaitingCall]
    ) throws(CallError) {
        if !isEmergency {
            if let emergency = calls.emergencies.first.flatMap({ calls[slot: $0] }) {
                throw CallError(.emergencyInProgress, "emergency call in progress: \(Refusal.list([emergency]))")
            }
            try checkRoom(besides: others.count)
            guard provider.configuration.maximumCallGroups > 0 else {
                throw CallError(
                    .maximumCallGroupsReached, "provider \(provider.id) allows 0 call groups, it takes no calls")
            }
        }
        if policy.secondRinging == .isRefused, !isEmergency, calls.ringingCount > 0,
            let other = calls.live.first(where: { $0.state == .ringing })
        {
            throw CallError(
                .limitsExceeded, "policy \(policy.name) lets one call ring at a time: \(Refusal.list([other]))")
        }
        let ringing = calls.ringingCount(of: provider.id) + others.count { $0.provider == provider.id }
        guard ringing < limits.ringingCallsPerProvider else {
            throw CallError(.limitsExceeded, "\(ringing) calls of provider \(provider.id) are ringing already")
        }
    }

    /// Nothing more is to be known of a call that waited: it rings, unless the world has changed meanwhile.
    mutating func ring(_ call: WaitingCall) {
        do throws(CallError) {
            guard let provider = providers[call.provider] else { return drop(call) }
            if call.hasWaited { try checkRinging(provider, isEmergency: false, besides: []) }
            ring(call.id, call.update, provider, call)
        } catch {
            return error.code == .emergencyInProgress ? miss(call, error) : refuse(call, error)
        }
        effects.append(.reply(call.reply, .call(call.id)))
        for waiting in call.reports { take(waiting.report, by: call.provider, reply: waiting.reply) }
    }

    private mutating func ring(
        _ id: CallID, _ update: CallUpdate, _ provider: Provider, _ waited: WaitingCall? = nil
    ) {
        var call = Call(id: id, provider: provider.id, direction: .incoming, state: .ringing)
        call.apply(update)
        if let waited { call.apply(waited) }
        add(call, cause: Cause(.reported, by: .provider(provider.id)))
        effects.append(.arm(.ring(id), at: now.advanced(byMilliseconds: deadlines[.ring])))
        if let handle = update.remoteHandle { noteUndeclaredType(handle, provider) }
    }

    /// The call is not there, and never was.
    mutating func refuse(_ call: WaitingCall, _ error: CallError) {
        effects.append(.reply(call.reply, .failed(error)))
        for report in call.reports {
            effects.append(.reply(report.reply, .failed(CallError(.unknownCall, "no call \(call.id)"))))
        }
    }

    private mutating func drop(_ call: WaitingCall) {
        refuse(call, CallError(.unknownProvider, "provider \(call.provider) is unavailable"))
    }

    /// The calls that wait go with their provider.
    mutating func dropWaiting(of provider: ProviderID) {
        for call in waiting where call.provider == provider {
            disarm(call)
            drop(call)
        }
        waiting.removeAll { $0.provider == provider }
    }

    /// Nothing begins to ring any more.
    mutating func dropWaiting() {
        for call in waiting {
            disarm(call)
            refuse(call, CallError(.invalidAction, "the call system is shutting down"))
        }
        waiting = []
    }

    mutating func disarm(_ call: WaitingCall) {
        switch call.stage {
        case .lookUp: effects.append(.disarm(.lookUp(call.id)))
        case .screening: effects.append(.disarm(.screen(call.id)))
        }
    }

    /// A report about a call that waits has its turn when it rings.
    mutating func hold(_ report: Report, by provider: ProviderID, reply: ReplyID) throws(CallError) -> Bool {
        guard !waiting.isEmpty, let index = waiting.firstIndex(where: { $0.id == report.call }),
            waiting[index].provider == provider
        else { return false }
        guard waiting[index].reports.count < limits.waitingReports else {
            throw CallError(
                .limitsExceeded, "\(limits.waitingReports) reports about call \(report.call) wait for it to ring")
        }
        waiting[index].reports.append(WaitingReport(report: report, reply: reply))
        return true
    }
}

extension Call {
    /// What was found out while the call waited.
    fileprivate mutating func apply(_ call: WaitingCall) {
        if call.isSilenced || call.screening?.verdict.word == .silence { silenced = true }
        let contact = call.contact
        guard call.screening != nil || !contact.isEmpty || nameSource == .none && call.nameSource != .none else {
            return
        }
        facts = CallFacts(
            provider: provider, handle: handle, callerName: call.callerName, nameSource: call.nameSource,
            contact: contact, screening: call.screening)
    }
}
