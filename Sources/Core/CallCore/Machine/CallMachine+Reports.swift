// Providers' reports: facts about their own calls, checked like all input from outside.

import CallModel

extension CallMachine {
    mutating func take(_ report: Report, by id: ProviderID, reply: ReplyID) {
        do throws(CallError) {
            guard let provider = providers[id] else { throw CallError(.unknownProvider, "no provider \(id)") }
            guard provider.isReady else { throw CallError(.unknownProvider, "provider \(id) is unavailable") }
            let report = heeded(report, of: provider)
            if case .incoming(let call, let update) = report {
                return try take(incoming: call, update, provider, reply: reply)
            }
            if case .ongoing(let call, let ongoing, let update) = report {
                try adopt(call, ongoing, update, provider)
                return effects.reply(reply, .call(call))
            }
            if try admission.keep(report, by: id, reply: reply, limit: limits.waitingReports) { return }
            try take(report, on: try standing.reported(report.call, by: id))
            effects.reply(reply, .done)
        } catch {
            effects.reply(reply, .failed(error))
        }
    }

    private mutating func take(_ report: Report, on call: CallStanding) throws(CallError) {
        switch report {
        case .incoming, .ongoing: break
        case .updated(_, let update): try takeUpdate(call, update)
        case .ended(let id, let date, let reason, let network):
            guard reason.isReportable else {
                throw CallError(.invalidArguments, "\(reason.rawValue) is not a reason that a provider reports")
            }
            let cause = Cause(.reported, by: reason == .failed ? .provider(call.provider) : .remote)
            if endsStart(call, cause) { return }
            calls.update(id) { $0.networkEnd = network }
            end(call.id, reason, at: date, cause: cause)
        case .startedConnecting(let id, _):
            try standing.requireOutgoing(call, "started connecting")
            if call.state == .starting { calls.update(id) { $0.reportedConnecting = true } }
            move(id, .connectingReported, cause: Cause(.connecting, by: .provider(call.provider)))
        case .connected(let id, let date):
            try standing.requireOutgoing(call, "connected")
            let moment = standing.clamp(date, for: id)
            if call.state == .starting { calls.update(id) { $0.reportedConnected = moment } }
            connect(id, at: date)
        }
    }

    private mutating func takeUpdate(_ call: CallStanding, _ update: CallUpdate) throws(CallError) {
        if update.progress != nil { try standing.requireOutgoing(call, "in progress") }
        if update.onHold != nil, !call.hasConnected {
            throw CallError(
                .invalidAction,
                "call \(call.id) is \(call.state.rawValue), only a connected call is held by the network")
        }
        calls.update(call.id) { $0.apply(update) }
        switch update.onHold {
        case true?: heldByNetwork(call)
        case false? where call.swaps: exchangedByNetwork(call)
        case false?: resumeWanted(call)
        case nil: break
        }
    }

    /// Rule 13, hold model `swap`: a resume by the network is a fact, and so is that its other calls are on hold.
    private mutating func exchangedByNetwork(_ call: CallStanding) {
        let party = Party(one: call.id, group: call.group)
        let others = calls.situation.line(without: party)
        let areExchanged = others.allSatisfy { other in
            other.provider == call.provider && (other.course == .active || other.course == .holding)
        }
        guard areExchanged, !work.isGrouping, calls.situation.emergencies(besides: party).isEmpty else {
            return resumeWanted(call)
        }
        for other in others { heldByNetwork(other) }
        for member in calls.members(with: call.id) { resumedByNetwork(member) }
    }

    private mutating func resumedByNetwork(_ call: CallStanding) {
        if call.state == .resuming, let action = work.pendingAction(on: call.id, .setHeld) {
            return settle(action, .fulfilled(date: 0), isOvertaken: true)
        }
        guard call.state == .held else { return }
        calls.update(call.id) { $0.heldBy = nil }
        move(call.id, .resumedByNetwork, cause: Cause(.resumedByNetwork, by: .provider(call.provider), rule: .network))
    }

    /// Rule 13: a hold by the network is a fact. It fulfils a hold that is under way, and refuses a resume.
    private mutating func heldByNetwork(_ call: CallStanding) {
        if let action = work.pendingAction(on: call.id, .setHeld) {
            let outcome = call.state == .resuming ? Outcome.refused(reason: "") : .fulfilled(date: 0)
            return settle(action, outcome, isOvertaken: true)
        }
        // Of a call that is ending, it counts as half of an exchange.
        guard call.state == .active || call.swaps && call.course == .active else { return }
        let cause = Cause(.heldByNetwork, by: .provider(call.provider), rule: .network)
        let order = calls.nextOrder()
        calls.update(call.id) {
            $0.heldBy = cause.heldBy(of: call.provider)
            $0.heldOrder = order
        }
        move(call.id, .heldByNetwork, cause: cause)
    }

    /// Rule 13: a resume by the network is a request, unless its provider exchanges two calls without end.
    private mutating func resumeWanted(_ call: CallStanding) {
        switch holdStorms.take(call.id, of: call.provider, at: now) {
        case .calm: break
        case .begins:
            effects.note(
                .holdStorm, .provider(call.provider),
                "the provider exchanges two calls again and again; its resumes are ignored for "
                    + "\(HoldStorms.pause / 1_000_000) s. Its hold model may be swap")
            return
        case .goesOn: return
        }
        let origin = TransactionOrigin.providerResume(call.provider)
        let action = CallAction.setHeld(call.id, false)
        guard call.state == .held,
            !work.contains(where: { $0.origin == origin && $0.actions == [action] })
        else { return }
        admit(origin, [action])
    }
}

extension Call {
    /// Applies an update; what it leaves out stays.
    mutating func apply(_ update: CallUpdate) {
        if let value = update.remoteHandle { details.handle = value }
        if let value = update.localizedCallerName { names.provider = value }
        if let value = update.networkName { names.network = value }
        if let value = update.divertedBy { details.divertedBy = value }
        if let value = update.verification { details.verification = value }
        if let value = update.image { reportedImage = value }
        if let value = update.progress { reportedProgress = value }
        if let value = update.encryption { details.encryption = value }
        if let value = update.codec { details.codec = value }
        if let value = update.quality { details.quality = value }
        if let value = update.supportsHolding { standing.supportsHolding = value }
        if let value = update.canHoldNow { standing.canHoldNow = value }
        if let value = update.supportsGrouping { standing.supportsGrouping = value }
        if let value = update.supportsUngrouping { standing.supportsUngrouping = value }
        if let value = update.supportsDTMF { standing.supportsDTMF = value }
        if let value = update.hasVideo { details.video = value }
        if let value = update.remoteHeld { details.remoteHeld = value }
        if let value = update.transferRequest { transferRequest = value.handle }
        // An emergency call stays one: the promise not to displace it cannot be taken back.
        if update.emergency == true, standing.state == .ringing { standing.emergency = true }
    }
}
