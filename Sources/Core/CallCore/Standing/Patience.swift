// How long a request waits for answers, and whose answers it does not wait for.

import CallModel

extension Standing {
    /// Who is remembered to be silent: a sandboxed app with all its providers, but each provider of a plugin or of the
    /// user's program by itself, since each may have a network of its own.
    func answerer(_ provider: Provider) -> Owner {
        if case .app = provider.owner { provider.owner } else { .plugin(provider.id.rawValue) }
    }

    /// Whether both are providers of one app, or the same.
    func answersFor(_ one: ProviderID?, _ other: ProviderID) -> Bool {
        guard let one, one != other else { return one == other }
        guard let one = providers[one], let other = providers[other] else { return false }
        return answerer(one) == answerer(other)
    }

    /// The providers that have not answered an action of the line, and none of its kind since.
    var silentProviders: [ProviderID] {
        providers.values.filter { silence.isSilent(answerer($0)) }.map(\.id).sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether requests of the line may wait for the answer.
    func isAwaited(_ action: PendingAction) -> Bool {
        action.purpose != .notice && (action.kind == .end || action.performed.action.isAboutLine)
    }

    /// Whether the provider of the call asked for the action itself.
    func isOwn(_ action: PendingAction) -> Bool {
        guard action.purpose == .requested, let origin = work[action.performed.transaction]?.origin else {
            return false
        }
        return origin.isProviders || origin == .adoption
    }

    /// How long a user's request waits for an action that clears its way.
    func patience(with provider: ProviderID, _ kind: ActionKind) -> Silence.Patience {
        guard let provider = providers[provider] else { return .deadline }
        return silence.patience(with: answerer(provider), kind, isTrusted: provider.isPackaged)
    }

    func patience(with action: PendingAction) -> Silence.Patience {
        guard !isForEmergency(action), calls.standing(of: action.call)?.emergency != true else { return .deadline }
        return isOwn(action) ? .none : patience(with: action.performed.provider, action.kind)
    }

    func deadline(
        of action: CallAction, _ purpose: PendingAction.Purpose, for transaction: Transaction
    ) -> Instant {
        let mayBePassedOn = action.kind == .start && nextProvider(forStarting: action.call) != nil
        let usual = deadlines[DeadlineKind(action.kind)]
        let published = mayBePassedOn ? min(usual, deadlines[.emergencyStart]) : usual
        let patience = isShuttingDown ? deadlines[.urgent] : .max
        // The caller's timeout does not apply to restoring a call.
        let timeout = purpose == .compensation ? nil : transaction.timeout
        let milliseconds = min(published, timeout ?? published, patience)
        let deadline = now.advanced(byMilliseconds: milliseconds)
        guard purpose == .clearing, let limit = clearingLimit(of: action, for: transaction),
            limit.uptime < deadline.uptime
        else { return deadline }
        return limit.uptime > now.uptime ? limit : now
    }

    /// When a transaction stops waiting for an action that clears its way; nil for the action's deadline.
    private func clearingLimit(of action: CallAction, for transaction: Transaction) -> Instant? {
        transaction.urgentUntil ?? (isShort(action, for: transaction) ? urgentLimit(of: transaction.id) : nil)
    }

    /// Whether a user's request gives the provider in its way little time.
    func isShort(_ action: CallAction, for transaction: Transaction) -> Bool {
        guard transaction.urgentUntil == nil, transaction.origin.isUsers, let call = calls.standing(of: action.call)
        else { return false }
        return patience(with: call.provider, action.kind) == .urgent
    }

    /// When the user's request stops waiting for those that get little time: all of them have that time together.
    func urgentLimit(of id: TransactionID) -> Instant {
        work[id]?.patientUntil ?? now.advanced(byMilliseconds: deadlines[.urgent])
    }

    /// Whether the action serves an emergency call.
    func isForEmergency(_ action: PendingAction) -> Bool {
        work[action.performed.transaction]?.current.map { calls.standing(of: $0.call)?.emergency == true } ?? false
    }

    /// A provider's own request gives way to a user's that waits behind it, before its provider is asked.
    func giveWay(_ purpose: PendingAction.Purpose, of transaction: Transaction) throws(CallError) {
        guard purpose == .requested, transaction.origin.isProviders, work.userWaiting(behind: transaction) != nil
        else { return }
        throw CallError(.actionFailed, "the provider's request gave way to one of the user")
    }

    func isForfeited(_ id: TransactionID, by provider: ProviderID) -> Bool {
        guard let transaction = work[id], !transaction.hasBegun,
            transaction.origin.isUsers || transaction.origin.isProviders,
            let action = transaction.actions.first(where: \.isAboutLine), !isEmergency(action)
        else { return false }
        if case .start(_, let start) = action {
            return answersFor((try? self.provider(for: start, transaction.conflict))?.id, provider)
        }
        return answersFor(calls.standing(of: action.call)?.provider, provider)
    }

    /// The requests that wait their turn for a provider.
    func waiting(for provider: ProviderID) -> Int { work.queue.count { isForfeited($0, by: provider) } }

    /// The broken promises to users' requests.
    func patienceViolations() -> [String] {
        guard let head = work.queue.first.flatMap({ work[$0] }), let awaited = head.waitingFor?.action,
            let action = work[awaited], patience(with: action) == .none, action.performed.deadline.uptime > now.uptime,
            let user = work.userWaiting(behind: head)
        else { return [] }
        return ["\(user) of the user waits for \(awaited), which is not worth waiting for"]
    }
}
