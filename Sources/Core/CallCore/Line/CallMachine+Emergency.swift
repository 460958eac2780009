// Rule 19: whose word of emergencies counts, and where an emergency call goes on that its provider does not take.

import CallModel

extension CallMachine {
    // MARK: Who reaches the emergency services

    /// The user's choice replaces the former one.
    mutating func mark(_ choice: Set<ProviderID>) {
        emergencyProviders = choice
        for provider in providers.values.sorted(by: { $0.order < $1.order })
        where provider.isMarked != choice.contains(provider.id) {
            var marked = provider
            marked.isMarked.toggle()
            providers[provider.id] = marked
            if provider.shown != marked.shown { effects.append(.providerChanged(marked)) }
        }
    }

    mutating func noteUnentitledNumbers(of provider: Provider) {
        guard !provider.isEntitled, !provider.configuration.emergencyNumbers.isEmpty else { return }
        effects.note(
            .unentitledEmergency, .provider(provider.id),
            "the provider declares emergency numbers; they count once the user has marked it")
    }

    /// Returns the report without an emergency that its provider may not declare.
    mutating func heeded(_ report: Report, of provider: Provider) -> Report {
        guard !provider.isEntitled else { return report }
        switch report {
        case .incoming(let call, let update): return .incoming(call, heeded(update, provider))
        case .ongoing(let call, let ongoing, let update): return .ongoing(call, ongoing, heeded(update, provider))
        case .updated(let call, let update): return .updated(call, heeded(update, provider))
        case .ended, .startedConnecting, .connected: return report
        }
    }

    private mutating func heeded(_ update: CallUpdate, _ provider: Provider) -> CallUpdate {
        guard update.emergency == true else { return update }
        effects.note(
            .unentitledEmergency, .provider(provider.id),
            "the provider declares an emergency call; that counts once the user has marked it")
        var update = update
        update.emergency = nil
        return update
    }

    // MARK: Where a start goes on

    /// Passes an emergency call on that its provider does not start. The provider is told to end it, in case it starts it
    /// after all.
    ///
    /// - Returns: false if the call ends: it is no emergency call, or nobody else reaches the services.
    mutating func passOn(_ action: PendingAction, _ outcome: Outcome) -> Bool {
        guard action.kind == .start else { return false }
        var cause = standing.failure(outcome, of: action)
        if outcome == .timedOut { cause.by = .deadline(.emergencyStart) }
        guard passOn(action.call, cause) else { return false }
        if outcome == .timedOut {
            notify(
                action.performed.provider, .end(action.call, reason: EndReason.timedOut.rawValue), .noAnswer, for: nil)
        }
        return true
    }

    /// Takes the end that a provider reports of an emergency call before it has started it as a refusal.
    ///
    /// - Returns: false if the call ends.
    mutating func endsStart(_ call: CallStanding, _ cause: Cause) -> Bool {
        guard standing.nextProvider(forStarting: call.id) != nil else { return false }
        guard let start = work.pendingAction(on: call.id, .start) else { return passOn(call.id, cause) }
        settle(start, .refused(reason: ""), isOvertaken: true)
        return true
    }

    /// - Parameter cause: why its provider does not take it.
    mutating func passOn(_ id: CallID, _ cause: Cause) -> Bool {
        guard let next = standing.nextProvider(forStarting: id), let former = calls.standing(of: id)?.provider,
            let transaction = work.transactions.first(where: { $0.starts(id) }),
            case .start(_, let start)? = transaction.current
        else { return false }
        explain(id, cause)
        withdraw(transaction.following, of: transaction.id, failed: true)
        work.update(transaction.id) {
            $0.passedOver.insert(former)
            $0.following = []
            $0.followingIsKnown = false
        }
        for action in work.pendingActions(on: id) where action.kind != .start {
            settle(action, .refused(reason: ""), isOvertaken: true)
        }
        calls.update(id) { $0.goOn(start, with: next) }
        explain(id, Cause(.passedOn(next.id), by: .arbiter(for: transaction.origin.requester), rule: .emergency))
        noteUndeclaredType(start.handle, next)
        return true
    }

    /// Another provider has come to which a start could go on.
    mutating func hastenEmergencyStarts() {
        for action in work.actions where action.kind == .start && standing.nextProvider(forStarting: action.call) != nil
        {
            hasten(action.id, now.advanced(byMilliseconds: deadlines[.emergencyStart]))
        }
    }
}

extension Transaction {
    /// Whether it is being worked on to start this call.
    func starts(_ call: CallID) -> Bool {
        guard case .start(call, _)? = current else { return false }
        return true
    }
}

extension Call {
    /// Takes a new provider. What the former one reported no longer holds.
    fileprivate mutating func goOn(_ start: StartRequest, with provider: Provider) {
        let fresh = Call(id: standing.id, provider: provider, direction: .outgoing, state: .starting)
        standing.provider = provider.id
        standing.swaps = fresh.swaps
        standing.supportsHolding = fresh.supportsHolding
        standing.canHoldNow = fresh.canHoldNow
        standing.supportsGrouping = fresh.supportsGrouping
        standing.supportsUngrouping = fresh.supportsUngrouping
        standing.supportsDTMF = fresh.supportsDTMF
        (names.provider, names.network) = (fresh.names.provider, fresh.names.network)
        (details.divertedBy, details.verification, reportedImage) = (nil, nil, "")
        (details.encryption, details.codec, details.quality) = ("", "", nil)
        (details.handle, details.video) = (start.handle, start.video)
        (details.remoteHeld, details.muted, transferRequest) = (false, false, nil)
        (reportedProgress, reportedConnecting, reportedConnected) = (nil, false, nil)
    }
}
