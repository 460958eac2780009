// Who may ring: allow list, block lists, Do Not Disturb, screening, in this order.

import CallModel

extension CallMachine {
    /// Decides on a call of whose caller is known what is known.
    mutating func filter(_ call: WaitingCall) {
        guard !call.caller.isAllowed else { return ring(call) }
        if let list = call.caller.blockedBy {
            return filter(call, .blocked, by: .blockList(list), "the caller is on a block list")
        }
        if doNotDisturb, !isExcepted(call) {
            // Somebody may be on the line for whom there is an exception: the call neither disturbs nor is turned away.
            guard !call.caller.isUnanswered else { return pass(call, isSilenced: true) }
            if let handle = call.comparedHandle {
                turnedAway.note(handle, at: now, limit: limits.rememberedCallers)
            }
            return filter(call, .doNotDisturb, by: .doNotDisturb, "do not disturb is on")
        }
        pass(call)
    }

    /// No list is in its way any more.
    private mutating func pass(_ call: WaitingCall, isSilenced: Bool = false) {
        var call = call
        call.isSilenced = isSilenced
        guard screeners.isEmpty else { return screen(call) }
        ring(call)
    }

    /// An emergency call has the line: this one is missed.
    mutating func miss(_ call: WaitingCall, _ error: CallError) {
        filter(call, .emergency, by: .emergency, error.message)
    }

    private func isExcepted(_ call: WaitingCall) -> Bool {
        if doNotDisturbRules.allowedProviders.contains(call.provider) { return true }
        if doNotDisturbRules.allowsFavorites, call.caller.isFavorite { return true }
        guard doNotDisturbRules.allowsRepeated, let handle = call.comparedHandle else { return false }
        return turnedAway.contains(handle, at: now, withinMilliseconds: deadlines[.repeatedCaller])
    }

    /// The call does not ring; that it came is remembered, and its identifier is used.
    mutating func filter(_ call: WaitingCall, _ reason: FilterReason, by filter: FilteredCall.Filter, _ text: String) {
        usedIDs.insert(call.id)
        announcements.append(
            .callFiltered(
                FilteredCall(
                    call: call.id, provider: call.provider, handle: call.update.remoteHandle,
                    callerName: call.callerName, nameSource: call.nameSource, hasVideo: call.update.hasVideo ?? false,
                    reason: reason, by: filter, text: call.screening?.verdict.reason ?? "", at: now)))
        refuse(call, CallError(reason.errorCode, text))
    }

    // MARK: Looking up

    mutating func lookUpAvailable(_ value: Bool) {
        canLookUp = value
        isLookUpAway = !value
        guard !value else { return }
        for id in waiting.filter({ $0.stage == .lookUp }).map(\.id) { lookedUp(id, .unanswered) }
    }

    /// - Parameter isDue: whether its time is over.
    mutating func lookedUp(_ id: CallID, _ caller: CallerFacts, isDue: Bool = false) {
        guard let index = waiting.firstIndex(where: { $0.id == id }), waiting[index].stage == .lookUp else { return }
        var call = waiting.remove(at: index)
        if !isDue { disarm(call) }
        call.caller = caller
        filter(call)
    }
}

extension WaitingCall {
    /// What tells this caller from others.
    fileprivate var comparedHandle: Handle? { caller.normalized ?? update.remoteHandle }
}
