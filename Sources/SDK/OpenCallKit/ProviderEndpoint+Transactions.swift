// Actions on their way to the delegate, and the transactions that they are part of.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

extension ProviderEndpoint {
    /// Performs an action of the host. The delegate is asked about a transaction at the first of its actions.
    func perform(_ wire: PerformWire, _ invocation: Invocation<VariantDictionary>) {
        if case .following(let number) = wire.part,
            let due = open.begin(number, of: wire.transaction, id: wire.id, invocation)
        {
            due.action.timeOut(at: Date(wire: wire.deadline))
            if let early = due.early { return open.answer(due.action.uuid, early) }
            return hand(over: due.action, unless: due.turn?.verdict)
        }
        let action = CXCallAction.make(wire, answer: answer)
        open.add(action, id: wire.id, invocation)
        guard let provider else { return action.fail() }
        var actions: [CXAction] = [action]
        let verdict = OpenActions.Verdict()
        if case .first(let following) = wire.part { actions += announce(following, wire.transaction, verdict) }
        let transaction = CXTransaction(uuid: open.name(wire.transaction), actions: actions)
        provider.add(transaction)
        provider.deliver { delegate, provider in
            if delegate.provider(provider, execute: transaction) {
                verdict.isTaken = true
            } else {
                action.perform(by: delegate, of: provider)
            }
        } orElse: {
            Self.refuse(action)
        }
    }

    /// Takes the provider's answer to an action, on any thread.
    var answer: CXAction.Answer {
        { [weak self] action, outcome in
            Loop.shared.post { self?.open.answer(action, outcome) }
        }
    }

    /// Creates the later actions of a transaction.
    private func announce(
        _ following: [CallAction], _ transaction: String, _ verdict: OpenActions.Verdict
    ) -> [CXAction] {
        following.enumerated().map { index, model in
            let wire = PerformWire(id: "", action: model, transaction: transaction, deadline: 0)
            let action = CXCallAction.make(wire, answer: answer)
            action.timeOut(at: .distantFuture)
            open.announce(action, .init(transaction: transaction, number: UInt32(index) + 1, verdict: verdict))
            return action
        }
    }

    /// Ends a transaction, whose remaining actions have failed or are not needed.
    func endTransaction(_ name: String, failed: Bool) {
        for entry in open.takeRest(of: name) {
            let action = entry.action
            guard failed else {
                action.abandon()
                continue
            }
            action.timeOut()
            provider?.deliver { delegate, provider in
                // A delegate that did not take the transaction has never seen the action.
                if entry.turn?.verdict.isTaken == true { delegate.provider(provider, timedOutPerforming: action) }
            }
        }
    }

    /// - Parameter verdict: on the transaction that the action was part of from the beginning.
    func hand(over action: CXAction, unless verdict: OpenActions.Verdict? = nil) {
        guard let provider else { return action.fail() }
        provider.deliver { delegate, provider in
            if verdict?.isTaken != true { action.perform(by: delegate, of: provider) }
        } orElse: {
            Self.refuse(action)
        }
    }

    private nonisolated static func refuse(_ action: CXAction) {
        Diagnostics.note("\(action) was refused: the provider's delegate is gone")
        action.fail()
    }
}
