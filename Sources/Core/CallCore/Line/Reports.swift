// Events without a request: providers come, go and report, callers are looked up, and deadlines pass that belong to no
// action.

import CallModel

extension Line {
    mutating func apply(_ report: Report, to call: CallStanding) throws(CallError) {
        switch report {
        case .incoming, .ongoing: break
        case .updated(_, let update): try apply(update, to: call)
        case .ended(let id, let date, let reason, let network):
            guard reason.isReportable else {
                throw CallError(.invalidArguments, "\(reason.rawValue) is not a reason that a provider reports")
            }
            let cause = Cause(.reported, by: reason == .failed ? .provider(call.provider) : .remote)
            if endsStart(call, cause) { return }
            standing.calls.update(id) { $0.networkEnd = network }
            end(call.id, reason, at: date, cause: cause)
        case .startedConnecting(let id, _):
            try standing.requireOutgoing(call, "started connecting")
            if call.state == .starting { standing.calls.update(id) { $0.reportedConnecting = true } }
            move(id, .connectingReported, cause: Cause(.connecting, by: .provider(call.provider)))
        case .connected(let id, let date):
            try standing.requireOutgoing(call, "connected")
            let moment = standing.calls.clamp(date, of: id, at: standing.now)
            if call.state == .starting { standing.calls.update(id) { $0.reportedConnected = moment } }
            connect(id, at: date)
        }
    }

    private mutating func apply(_ update: CallUpdate, to call: CallStanding) throws(CallError) {
        if update.progress != nil { try standing.requireOutgoing(call, "in progress") }
        if update.onHold != nil, !call.hasConnected {
            throw CallError(
                .invalidAction,
                "call \(call.id) is \(call.state.rawValue), only a connected call is held by the network")
        }
        standing.calls.update(call.id) { $0.apply(update) }
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
        let others = standing.calls.situation.line(without: party)
        let areExchanged = others.allSatisfy { other in
            other.provider == call.provider && (other.course == .active || other.course == .holding)
        }
        guard areExchanged, !standing.work.isGrouping, standing.calls.situation.emergencies(besides: party).isEmpty
        else {
            return resumeWanted(call)
        }
        for other in others { heldByNetwork(other) }
        for member in standing.calls.members(with: call.id) { resumedByNetwork(member) }
    }

    private mutating func resumedByNetwork(_ call: CallStanding) {
        if call.state == .resuming, let action = standing.work.pendingAction(on: call.id, .setHeld) {
            return settle(action, .fulfilled(date: 0), isOvertaken: true)
        }
        guard call.state == .held else { return }
        standing.calls.update(call.id) { $0.heldBy = nil }
        move(call.id, .resumedByNetwork, cause: Cause(.resumedByNetwork, by: .provider(call.provider), rule: .network))
    }

    /// Rule 13: a hold by the network is a fact. It fulfils a hold that is under way, and refuses a resume.
    private mutating func heldByNetwork(_ call: CallStanding) {
        if let action = standing.work.pendingAction(on: call.id, .setHeld) {
            let outcome = call.state == .resuming ? Outcome.refused(reason: "") : .fulfilled(date: 0)
            return settle(action, outcome, isOvertaken: true)
        }
        // Of a call that is ending, it counts as half of an exchange.
        guard call.state == .active || call.swaps && call.course == .active else { return }
        let cause = Cause(.heldByNetwork, by: .provider(call.provider), rule: .network)
        standing.calls.hold(call.id, cause)
        move(call.id, .heldByNetwork, cause: cause)
    }

    /// Rule 13: a resume by the network is a request, unless its provider exchanges two calls without end.
    private mutating func resumeWanted(_ call: CallStanding) {
        switch holdStorms.note(call.id, of: call.provider, at: standing.now) {
        case .calm: break
        case .begins:
            outbox.note(
                .holdStorm, .provider(call.provider),
                "the provider exchanges two calls again and again; its resumes are ignored for "
                    + "\(HoldStorms.pause / 1_000_000) s. Its hold model may be swap")
            return
        case .goesOn: return
        }
        let origin = TransactionOrigin.providerResume(call.provider)
        let action = CallAction.setHeld(call.id, false)
        guard call.state == .held,
            !standing.work.contains(where: { $0.origin == origin && $0.actions == [action] })
        else { return }
        standing.work.admit(origin, [action])
    }

    // MARK: Calls that are connected when they are reported (rule 24)

    mutating func adopt(
        _ id: CallID, _ ongoing: OngoingCall, _ update: CallUpdate, _ provider: Provider, isEmergency: Bool
    ) {
        let situation = standing.calls.situation
        let isLineFree = situation.line.isEmpty && situation.emergencies().isEmpty && !standing.work.isGrouping
        let call = call(id, ongoing, update, provider, isEmergency)
        standing.calls.add(call, cause: Cause(.adopted, by: .provider(provider.id)), at: standing.now)
        if let handle = update.remoteHandle { noteUndeclaredType(handle, provider) }
        lookUp(id)
        if ongoing.state == .held || isLineFree { return }
        guard !isEmergency else { return standing.work.admit(.adoption, [.setHeld(id, false)], isEmergency: true) }
        let canBeHeld =
            standing.calls.standing(of: id).map { standing.calls.situation.canBeHeld($0, for: Party()) } ?? false
        guard canBeHeld else { return endUnadopted(id) }
        standing.work.admit(.adoption, [.setHeld(id, true)], isAboutLine: false)
    }

    private mutating func call(
        _ id: CallID, _ ongoing: OngoingCall, _ update: CallUpdate, _ provider: Provider, _ isEmergency: Bool
    ) -> Call {
        let isHeld = ongoing.state == .held
        var call = Call(id: id, provider: provider, direction: ongoing.direction, state: isHeld ? .held : .active)
        call.apply(update)
        call.emergency = isEmergency
        let since = ongoing.since == 0 ? standing.now.date : min(ongoing.since, standing.now.date)
        let age = standing.now.date.span(since: since)
        call.startedAt = since
        call.connectedAt = since
        call.connectedAtMonotonic = standing.now.uptime.earlier(by: age).microseconds
        if isHeld {
            call.heldBy = .provider
            call.heldOrder = standing.calls.nextOrder()
        }
        return call
    }

    /// Ends a call that could not be held and may not have the line; one that is ending already is awaited.
    mutating func endUnadopted(_ id: CallID) {
        guard let call = standing.calls.standing(of: id), call.course == .active, !call.emergency else { return }
        standing.work.admit(.adoption, [.end(id, reason: "")])
    }

    // MARK: The course of a call

    mutating func ring(_ waited: WaitingCall, _ provider: Provider) {
        var call = Call(id: waited.id, provider: provider, direction: .incoming, state: .ringing)
        call.apply(waited.update)
        call.apply(waited)
        standing.calls.add(call, cause: Cause(.reported, by: .provider(provider.id)), at: standing.now)
        outbox.arm(.ring(call.id), after: .ring)
        if let handle = waited.update.remoteHandle { noteUndeclaredType(handle, provider) }
    }

    /// Lets a call ring on whose provider told another caller.
    mutating func ringOn(_ waited: WaitingCall) {
        standing.calls.update(waited.id) { call in
            call.applyVerdict(on: waited)
            if waited.hasWaited, !waited.caller.isUnanswered { call.lookedUp = call.caller }
        }
    }

    /// Ends a ringing call whose provider told another caller, who may not ring; unless the user has answered it meanwhile.
    mutating func filter(_ waited: WaitingCall, _ filter: Call.Filter) {
        let id = waited.id
        guard standing.calls.standing(of: id)?.state == .ringing,
            !standing.work.contains(where: { $0.actions.contains(.answer(id)) })
        else { return ringOn(waited) }
        standing.calls.update(id) {
            $0.applyVerdict(on: waited)
            $0.filter = filter
        }
        end(id, .declined, cause: Cause(.filtered(filter.reason), by: .policy(for: nil)))
        notify(waited.provider, .end(id, reason: EndReason.declined.rawValue), nil, for: nil)
    }

    mutating func markUsed(_ id: CallID) { standing.calls.markUsed(id) }

    mutating func silenceRinging() { standing.calls.silenceRinging() }

    mutating func name(_ id: CallID, _ caller: CallerFacts) { standing.calls.name(id, caller) }

    mutating func noteUndeclaredType(_ handle: Handle, _ provider: Provider) {
        guard !provider.configuration.supportedHandleTypes.contains(handle.type) else { return }
        outbox.note(
            .undeclaredHandleType, .provider(provider.id),
            "a call with a handle of type \(handle.type.rawValue), which the provider does not declare")
    }

    /// The start action was fulfilled; what was reported before it counts from now.
    mutating func started(_ id: CallID, at date: WallTime, cause: Cause) {
        guard let call = standing.calls[id] else { return }
        let moment = standing.calls.clamp(date, of: id, at: standing.now)
        standing.calls.update(id) { $0.startedAt = moment }
        move(id, .startFulfilled, cause: cause)
        guard call.state == .starting else { return }
        if call.reportedConnecting {
            move(id, .connectingReported, cause: Cause(.connecting, by: .provider(call.provider)))
        }
        if let connected = call.reportedConnected {
            connect(id, at: connected)
        } else {
            outbox.arm(.connect(id), after: .connect)
        }
    }

    mutating func connect(_ id: CallID, at date: WallTime) {
        guard let state = standing.calls.standing(of: id)?.state, state == .started || state == .connecting else {
            return
        }
        let cause = Cause(.connected, by: .remote)
        standing.calls.connect(id, at: date, .connectedReported, cause: cause, now: standing.now)
        outbox.append(.disarm(.connect(id)))
        if let digits = standing.calls[id]?.postDial, !digits.isEmpty {
            standing.work.admit(.postDial, [.playDTMF(id, digits: digits, tone: .softPause)])
        }
    }

    /// Looks up the name of the far side of a call that does not wait for it, once.
    mutating func lookUp(_ id: CallID) {
        guard standing.canLookUp, let call = standing.calls[id], call.lookedUp != call.caller,
            let handle = call.handle, call.direction == .outgoing || !call.emergency
        else { return }
        standing.calls.update(id) { $0.lookedUp = call.caller }
        outbox.append(.lookUp(id, handle))
    }

    mutating func lookUpBecomes(available: Bool) { standing.canLookUp = available }

    mutating func lookUpAll(besides others: [CallID]) {
        for call in standing.calls.live where !others.contains(call.id) { lookUp(call.id) }
    }

    /// Counts a call of the owner that begins now: it came in, was started or was found. Emergency calls do not count.
    mutating func countNewCall(of owner: Owner) {
        standing.rates.countNewCall(of: owner, standing.limits.newCalls(of: owner), at: standing.now)
    }

    /// Ends a call that was not answered.
    mutating func ringingTimedOut(_ id: CallID) {
        guard let call = standing.calls.standing(of: id), call.state == .ringing else { return }
        guard !standing.work.contains(where: { $0.actions.contains(.answer(id)) }) else {
            outbox.arm(.ring(id), after: .answer)
            return
        }
        end(id, .unanswered, cause: Cause(.notTaken, by: .deadline(.ring)))
        notify(call.provider, .end(id, reason: EndReason.unanswered.rawValue), .noAnswer, for: nil)
    }

    mutating func connectingTimedOut(_ id: CallID) {
        guard let call = standing.calls.standing(of: id), call.state == .started || call.state == .connecting else {
            return
        }
        end(id, .unanswered, cause: Cause(.notTaken, by: .deadline(.connect)))
        notify(call.provider, .end(id, reason: EndReason.unanswered.rawValue), .noAnswer, for: nil)
    }

    mutating func removeEnded(_ id: CallID) {
        guard standing.calls.standing(of: id)?.hasEnded == true else { return }
        standing.calls.removeEnded(id)
        outbox.append(.callRemoved(id))
    }

    // MARK: Providers

    mutating func know(_ order: [ProviderID]) { standing.providers.know(order) }
    mutating func choose(defaults choice: [String: ProviderID]) { standing.providers.choose(defaults: choice) }
    mutating func mark(_ choice: Set<ProviderID>) { standing.providers.mark(choice, &outbox) }

    mutating func register(
        _ id: ProviderID, _ configuration: ProviderConfiguration, _ isPackaged: Bool, _ owner: Owner,
        after former: Provider?
    ) {
        standing.providers.register(id, configuration, isPackaged: isPackaged, owner, after: former, &outbox)
    }

    mutating func reconfigure(_ id: ProviderID, _ configuration: ProviderConfiguration) {
        standing.providers.reconfigure(id, configuration, &outbox)
    }

    /// Nobody is behind a provider any more: its calls end and its actions are settled.
    mutating func disconnect(_ id: ProviderID, _ reason: EndReason, _ event: Cause.Event, rule: Rule?) {
        standing.providers.lose(id)
        let cause = Cause(event, by: .provider(id), rule: rule)
        standing.work.forgetFollowing(at: id)
        holdStorms.forget(id)
        for action in standing.work.actions where action.performed.provider == id {
            settle(action, .providerLost(event))
        }
        for call in standing.calls.live where call.provider == id {
            if !passOn(call.id, cause) { end(call.id, reason, cause: cause) }
        }
    }

    mutating func remove(_ provider: Provider) {
        standing.providers.remove(provider.id)
        if provider.isReady { outbox.append(.reset(provider.id)) }
        outbox.append(.providerRemoved(provider.id))
    }

    /// Returns the report without an emergency that its provider may not declare (rule 19), and with the scheme of handles of
    /// the provider's network.
    mutating func heeded(_ report: Report, of provider: Provider) -> Report {
        switch report {
        case .incoming(let call, let update): return .incoming(call, heeded(update, provider))
        case .ongoing(let call, let ongoing, let update): return .ongoing(call, ongoing, heeded(update, provider))
        case .updated(let call, let update): return .updated(call, heeded(update, provider))
        case .ended, .startedConnecting, .connected: return report
        }
    }

    private mutating func heeded(_ update: CallUpdate, _ provider: Provider) -> CallUpdate {
        var update = update
        update.remoteHandle = update.remoteHandle.map(provider.identified)
        update.divertedBy = update.divertedBy.map(provider.identified)
        guard update.emergency == true, !provider.isEntitled else { return update }
        outbox.note(
            .unentitledEmergency, .provider(provider.id),
            "the provider declares an emergency call; that counts once the user has marked it")
        update.emergency = nil
        return update
    }
}
