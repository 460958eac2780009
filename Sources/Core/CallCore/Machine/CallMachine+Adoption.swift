// Rule 24: calls that are connected when they are reported.

import CallModel

extension CallMachine {
    /// Takes over a call that a provider found, for instance after a restart, or that was dialed on its handset.
    ///
    /// - Throws: the refusal. Rule 4 does not apply, since the call is there already.
    mutating func adopt(
        _ id: CallID, _ ongoing: OngoingCall, _ update: CallUpdate, _ provider: Provider
    ) throws(CallError) {
        guard !isShuttingDown else { throw CallError(.invalidAction, "the call system is shutting down") }
        guard !standing.isTaken(id, admission.waiting) else {
            throw CallError(.callUUIDAlreadyExists, "call \(id) exists or existed")
        }
        let isEmergency = update.emergency ?? update.remoteHandle.map(provider.isEmergency) ?? false
        let emergencies = calls.situation.emergencies()
        // Rule 19: no call displaces an emergency call, not even another one.
        guard !isEmergency || emergencies.isEmpty else {
            throw CallError(.emergencyInProgress, "emergency call in progress: \(Refusal.list(emergencies))")
        }
        if !isEmergency {
            try standing.checkNewCalls(of: provider.owner)
            try standing.checkRoom(for: provider, besides: admission.waiting)
            countNewCall(of: provider.owner)
        }
        let isLineFree = calls.situation.line.isEmpty && emergencies.isEmpty && !work.isGrouping
        add(call(id, ongoing, update, provider, isEmergency), cause: Cause(.adopted, by: .provider(provider.id)))
        if let handle = update.remoteHandle { noteUndeclaredType(handle, provider) }
        lookUp(id)
        if ongoing.state == .held || isLineFree { return }
        guard !isEmergency else { return admit(.adoption, [.setHeld(id, false)], isEmergency: true) }
        let canBeHeld = calls.standing(of: id).map { calls.situation.canBeHeld($0, for: Party()) } ?? false
        guard canBeHeld else { return endUnadopted(id) }
        admit(.adoption, [.setHeld(id, true)], isAboutLine: false)
    }

    private mutating func call(
        _ id: CallID, _ ongoing: OngoingCall, _ update: CallUpdate, _ provider: Provider, _ isEmergency: Bool
    ) -> Call {
        let isHeld = ongoing.state == .held
        var call = Call(id: id, provider: provider, direction: ongoing.direction, state: isHeld ? .held : .active)
        call.apply(update)
        call.emergency = isEmergency
        let since = ongoing.since == 0 ? now.date : min(ongoing.since, now.date)
        let age = now.date - since
        call.startedAt = since
        call.connect(at: since, uptime: now.uptime - min(age, now.uptime))
        if isHeld {
            call.heldBy = .provider
            call.heldOrder = calls.nextOrder()
        }
        return call
    }

    /// Ends a call that could not be held and may not have the line; one that is ending already is awaited.
    mutating func endUnadopted(_ id: CallID) {
        guard let call = calls.standing(of: id), call.course == .active, !call.emergency else { return }
        admit(.adoption, [.end(id, reason: "")])
    }
}
