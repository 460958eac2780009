// How each effect is carried out.

import CallCore
import CallModel
import DBus
import EventLoop
import Logging
import CallWire

extension CallSystemHost {
    /// Carries out what somebody waits for, of what one input has led to: what is asked, and the replies.
    ///
    /// Providers get what is for them in the core's order, callers their replies in the core's order, and the bus its
    /// signals in the core's order. Among these, what follows the last question to a provider waits for the replies.
    func carryOutUrgent(_ step: Step) {
        for index in 0..<step.questions where step.effects[index].isForProvider { carryOut(step.effects[index]) }
        for index in step.effects.indices {
            switch step.effects[index] {
            case .callAdded(let id): export(id)
            case .lookUp(let id, let handle):
                callerLookUp?.lookUp(handle, for: id) { [weak self] in self?.submit(.lookedUp(id, $0)) }
            case .screen(let id, let screener): screen(id, by: screener)
            case .reply(let id, let reply): replies.answer(id, with: reply)
            default: break
            }
        }
    }

    /// Carries out the rest. The signals wait even longer, in `ObjectTree.announceLater`; what they tell is remembered as
    /// it was.
    func carryOutRest(_ step: Step) {
        let questions = step.questions
        step.each { index, effect, call in
            switch effect {
            case .deactivateAudio: break
            case .perform(let action):
                let isOpen = providers[action.provider] != nil && !answered.contains(action.id)
                if isOpen { arm(.action(action.id), at: action.deadline) }
            default: if index >= questions || !effect.isForProvider { carryOut(effect, call) }
            }
        }
    }

    /// - Parameter call: what the effect tells of, as it was when that was decided.
    private func carryOut(_ effect: Effect, _ call: Call? = nil) {
        switch effect {
        case .perform(let action): perform(action)
        case .timedOut(let action, let provider):
            let id = identifiers.text(of: action)
            providers[provider]?.peer.notify(ProviderMember.Delegate.timedOut) { (writer) throws(DBusError) in
                try writer.append(id)
            }
        case .transactionEnded(let transaction, let provider, let failed):
            let id = identifiers.text(of: transaction)
            providers[provider]?.peer.notify(ProviderMember.Delegate.transactionEnded) { (writer) throws(DBusError) in
                try writer.append(id)
                try writer.append(failed)
            }
        case .reply, .lookUp, .screen: break
        case .callAdded: if let call { announceAdded(call) }
        case .callChanged(_, let changes): if let call { announce(call, changes) }
        case .callRemoved(let id): withdraw(id)
        case .callEnded(let id, let reason, let origin):
            tree.announceLater { [tree] in
                let path = CallObject.path(of: id)
                tree.emit(CallSystemObject.callEnded, from: .system, path, reason.rawValue, origin.rawValue)
            }
        case .callFiltered(let call): announceFiltered(call)
        case .activeCallChanged: announceActiveCall()
        case .resumeSuggested(let id):
            tree.announceLater { [tree] in
                tree.emit(CallSystemObject.resumeSuggested, from: .system, CallObject.path(of: id))
            }
        case .anomaly(let anomaly): report(anomaly)
        case .providerAdded(let id): export(id)
        case .providerChanged(let id): announce(id)
        case .providerRemoved(let id): withdraw(id)
        case .reset(let id): providers[id]?.peer.notify(ProviderMember.Delegate.reset)
        case .activateAudio(let id, let call):
            let details = DetailList([("call-uuid", .string(call.description))])
            providers[id]?.peer.notify(ProviderMember.Delegate.audioSessionActivated) { (writer) throws(DBusError) in
                try writer.append(details)
            }
        case .deactivateAudio(let id): deactivateAudio(id)
        case .audioChanged: announceAudio()
        case .arm(let timer, let moment): arm(timer, at: moment)
        case .disarm(let timer): disarm(timer)
        case .stop:
            tree.announceNow()
            plugins.stop { [weak self] in self?.stopStore() }
        }
    }

    private func perform(_ action: PerformedAction) {
        guard let peer = providers[action.provider]?.peer else { return lost(action.provider) }
        let wire = PerformWire(
            id: identifiers.id(of: action.id), action: action.action,
            transaction: identifiers.id(of: action.transaction), deadline: action.deadline.date, part: action.part)
        let serial = peer.perform(wire) { [weak self] result in
            self?.complete(action.id, of: action.provider, result)
        }
        if let serial { actions.note(action.id, as: peer.key(of: serial)) }
    }

    /// A reply is fulfil, an error is fail; a peer that is gone is neither.
    private func complete(_ action: ActionID, of provider: ProviderID, _ result: Result<Message, DBusError>) {
        // Somebody waits for what follows, and nobody for this.
        defer { noteAnswered(action) }
        switch result {
        case .success(let message):
            let wire = try? message.readDetails()
            do throws(CallError) {
                let result = try PerformResult(wire: wire ?? [:])
                submit(.actionFulfilled(action, date: result.date ?? 0, engine: result.engine))
            } catch {
                submit(.actionFailed(action, reason: error.message))
            }
        case .failure(let error) where ProviderPeer.meansGone(error): lost(provider)
        case .failure(let error): submit(.actionFailed(action, reason: error.words))
        }
    }

    /// A reply that nothing waits for: if it answers a Perform once more, the core is to know.
    func takeUnmatchedReply(_ message: Message, on channel: any MessageChannel) {
        let key = ActionBook.Key(channel: ObjectIdentifier(channel), serial: message.replySerial)
        guard let action = actions[key] else { return }
        submit(message.kind == .error ? .actionFailed(action) : .actionFulfilled(action, date: 0))
    }

    private func deactivateAudio(_ id: ProviderID) {
        guard let peer = providers[id]?.peer else { return submit(.audioReleased(id)) }
        peer.call(ProviderMember.Delegate.audioSessionDeactivated) { [weak self] result in
            if case .failure(let error) = result, ProviderPeer.meansGone(error) {
                self?.lost(id)
            } else {
                self?.submit(.audioReleased(id))
            }
        }
    }

    private func announceFiltered(_ call: FilteredCall) {
        log.info("call \(call.call) of \(call.provider) filtered: \(call.reason.rawValue) by \(call.by)")
        tree.announceLater { [tree] in
            tree.emit(
                CallSystemObject.callFiltered, from: .system, ProviderObject.path(of: call.provider),
                call.reason.rawValue, call.by.word)
        }
    }

    private func report(_ anomaly: Anomaly) {
        let object =
            switch anomaly.subject {
            case .call(let id): CallObject.path(of: id)
            case .provider(let id): ProviderObject.path(of: id)
            case .system: ObjectPath.system
            }
        log.notice("\(anomaly.kind.rawValue) \(object): \(anomaly.text)")
        tree.announceLater { [tree] in
            tree.emit(CallSystemObject.anomaly, from: .system, anomaly.kind.rawValue, object, anomaly.text)
        }
    }
}
