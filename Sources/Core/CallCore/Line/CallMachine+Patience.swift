// How long a user's request waits for what others let it wait for.

package import CallModel

extension CallMachine {
    /// Who is remembered to be silent: a sandboxed app with all its providers, but each provider of a plugin or of the
    /// user's program by itself, since each may have a network of its own.
    private func answerer(_ provider: Provider) -> Owner {
        if case .app = provider.owner { provider.owner } else { .plugin(provider.id.rawValue) }
    }

    /// Whether both are providers of one app, or the same.
    func answersFor(_ one: ProviderID?, _ other: ProviderID) -> Bool {
        guard let one, one != other else { return one == other }
        guard let one = providers[one], let other = providers[other] else { return false }
        return answerer(one) == answerer(other)
    }

    /// The providers that have not answered an action of the line, and none of its kind since.
    package var silentProviders: [ProviderID] {
        providers.values.filter { silence.isSilent(answerer($0)) }.map(\.id).sorted { $0.rawValue < $1.rawValue }
    }

    /// The screeners that gave no verdict in time, and none since.
    package var silentScreeners: [ScreenerID] { admission.silentScreeners.sorted { $0.number < $1.number } }

    /// Remembers that a provider answered an action of the line. What it asked for itself shows nothing.
    mutating func noteAnswer(to action: PendingAction) {
        guard isAwaited(action), !isOwn(action), let provider = providers[action.performed.provider] else { return }
        _ = silence.note(action.kind, of: answerer(provider), answered: true)
    }

    /// Remembers that a provider did not answer, unless it hardly had time.
    ///
    /// - Returns: whether it had.
    mutating func noteSilence(after action: PendingAction) -> Bool {
        guard isAwaited(action), now.uptime - action.askedAt.uptime >= UInt64(deadlines[.urgent]) * 1_000 else {
            return false
        }
        guard let provider = providers[action.performed.provider],
            silence.note(action.kind, of: answerer(provider), answered: false)
        else { return true }
        effects.note(
            .silentProvider, .provider(provider.id),
            "the provider did not answer \(action.kind.rawValue) in time; the user's requests no longer wait for that")
        return true
    }

    /// Whether requests of the line may wait for the answer.
    private func isAwaited(_ action: PendingAction) -> Bool {
        action.purpose != .notice && (action.kind == .end || action.performed.action.isAboutLine)
    }

    /// Whether the provider of the call asked for the action itself.
    private func isOwn(_ action: PendingAction) -> Bool {
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

    private func patience(with action: PendingAction) -> Silence.Patience {
        guard !isForEmergency(action), calls.standing(of: action.call)?.emergency != true else { return .deadline }
        return isOwn(action) ? .none : patience(with: action.performed.provider, action.kind)
    }

    /// When the user's request stops waiting for those that get little time: all of them have that time together.
    mutating func urgentLimit(of id: TransactionID) -> Instant {
        let limit = work[id]?.patientUntil ?? now.advanced(byMilliseconds: deadlines[.urgent])
        work.update(id) { $0.patientUntil = limit }
        return limit
    }

    /// Brings the deadline of an action forward for which a user's request waits.
    mutating func hasten(_ action: PendingAction, for user: TransactionID) {
        switch patience(with: action) {
        case .deadline: break
        case .urgent: hasten(action.id, urgentLimit(of: user))
        case .none: hasten(action.id, now)
        }
    }

    /// Hastens what the first request in the queue waits for, if a user's waits its turn behind it.
    mutating func hastenForUsers() {
        guard let head = work.queue.first.flatMap({ work[$0] }), let awaited = head.waitingFor?.action,
            let action = work[awaited], let user = work.userWaiting(behind: head)
        else { return }
        hasten(action, for: user)
    }

    /// The broken promises to users' requests.
    func patienceViolations() -> [String] {
        guard let head = work.queue.first.flatMap({ work[$0] }), let awaited = head.waitingFor?.action,
            let action = work[awaited], isOwn(action), action.performed.deadline.uptime > now.uptime,
            let user = work.userWaiting(behind: head)
        else { return [] }
        return ["\(user) of the user waits for \(awaited), for which its provider asked"]
    }

    /// A provider's own request gives way to a user's that waits behind it, before its provider is asked.
    func giveWay(_ purpose: PendingAction.Purpose, of transaction: Transaction) throws(CallError) {
        guard purpose == .requested, transaction.origin.isProviders, work.userWaiting(behind: transaction) != nil
        else { return }
        throw CallError(.actionFailed, "the provider's request gave way to one of the user")
    }
}
