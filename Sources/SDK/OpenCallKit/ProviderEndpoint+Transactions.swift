// Actions on their way to the delegate, and the transactions that they are part of.

internal import CallModel
internal import DBus
internal import EventLoop
internal import CallWire

extension ProviderEndpoint {
    /// Has the plainest actions, which are most, come without being parsed.
    func expectPlainActions(on link: PrivateLink, at path: ObjectPath) {
        let template = try? MessageTemplate(at: path, Contract.providerDelegate, ProviderMember.Delegate.perform)
        for kind in [ActionKind.answer, .end] {
            guard let stencil = template.flatMap({ PerformStencil(for: kind, $0) }) else { continue }
            link.expectCalls(like: stencil.stencil, at: path) { [weak self] values, context in
                guard let self, let wire = stencil.wire(values) else { return false }
                perform(wire, Invocation(context))
                return true
            }
        }
    }

    /// Takes what the host wants performed. The delegate is asked about a transaction with the first of its actions.
    func perform(_ wire: PerformWire, _ invocation: Invocation<VariantDictionary>) {
        let id = wire.id
        if case .following(let number) = wire.part, let due = transactions.take(number, of: wire.transaction) {
            due.turn.id = id
            due.action.timeOut(at: Date(wire: wire.deadline))
            open.add(due.action, id, invocation)
            if let outcome = due.turn.early { return open.answer(id, outcome) }
            return hand(over: due.action, unless: due.verdict)
        }
        let action = CXCallAction.make(wire) { [weak self] outcome in
            Loop.shared.post { self?.open.answer(id, outcome) }
        }
        open.add(action, id, invocation)
        guard let provider else { return action.fail() }
        var actions: [CXAction] = [action]
        var verdict: TransactionBook.Verdict?
        if case .first(let following) = wire.part {
            let whole = TransactionBook.Whole(
                verdict: TransactionBook.Verdict(), following: following.map { announced($0, wire.transaction) })
            transactions.add(whole, named: wire.transaction)
            actions += whole.rest
            verdict = whole.verdict
        }
        let transaction = CXTransaction(uuid: transactions.name(wire.transaction), actions: actions)
        provider.add(transaction)
        provider.deliver { [verdict] delegate, provider in
            if delegate.provider(provider, execute: transaction) {
                verdict?.isTaken = true
            } else {
                action.perform(by: delegate, of: provider)
            }
        } orElse: {
            Self.refuse(action)
        }
    }

    /// An action whose turn will come. What the provider says of it before that is kept until then.
    private func announced(_ model: CallAction, _ transaction: WireID) -> (CXCallAction, TransactionBook.Turn) {
        let turn = TransactionBook.Turn()
        let wire = PerformWire(id: "", action: model, transaction: transaction, deadline: 0)
        let action = CXCallAction.make(wire) { [weak self] outcome in
            Loop.shared.post {
                if let id = turn.id { self?.open.answer(id, outcome) } else { turn.early = outcome }
            }
        }
        action.timeOut(at: .distantFuture)
        return (action, turn)
    }

    /// The host gave up the rest of a transaction, or does not need it any more.
    func endTransaction(_ name: WireID, failed: Bool) {
        guard let whole = transactions.end(name) else { return }
        for action in whole.rest {
            guard failed else {
                action.abandon()
                continue
            }
            action.timeOut()
            provider?.deliver { delegate, provider in
                // Others were never handed to it.
                if whole.verdict.isTaken { delegate.provider(provider, timedOutPerforming: action) }
            }
        }
    }

    /// - Parameter verdict: of the transaction that the action was part of from the beginning.
    func hand(over action: CXAction, unless verdict: TransactionBook.Verdict? = nil) {
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
