// How each effect is carried out.

import CallCore
import CallModel
import DBus
import EventLoop
import Logging
import CallWire

extension CallSystemHost {
    func carryOut(_ effect: Effect) {
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
        case .reply(let id, let reply): replies.answer(id, with: reply)
        case .lookUp(let id, let handle):
            callerLookUp?.lookUp(handle, for: id) { [weak self] in self?.submit(.lookedUp(id, $0)) }
        case .screen(let id, let screener): screen(id, by: screener)
        case .callAdded(let call): export(call)
        case .callChanged(let call, _): announce(call)
        case .callRemoved(let id): withdraw(id)
        case .callEnded(let id, let reason, let origin):
            let path = CallObject.path(of: id)
            tree.emit(CallSystemObject.callEnded, from: .system, path, reason.rawValue, origin.rawValue)
        case .callFiltered(let call): announce(call)
        case .activeCallChanged(let id): announce(activeCall: id)
        case .resumeSuggested(let id):
            tree.emit(CallSystemObject.resumeSuggested, from: .system, CallObject.path(of: id))
        case .anomaly(let anomaly): report(anomaly)
        case .providerAdded(let provider): export(provider)
        case .providerChanged(let provider): announce(provider)
        case .providerRemoved(let id): withdraw(id)
        case .reset(let id): providers[id]?.peer.notify(ProviderMember.Delegate.reset)
        case .activateAudio(let id, let call):
            let details = DetailList([("call-uuid", .string(call.description))])
            providers[id]?.peer.notify(ProviderMember.Delegate.audioSessionActivated) { (writer) throws(DBusError) in
                try writer.append(details)
            }
        case .deactivateAudio(let id): deactivateAudio(id)
        case .audioChanged(let audio): announce(audio)
        case .arm(let timer, let moment): arm(timer, at: moment)
        case .disarm(let timer): disarm(timer)
        case .stop: plugins.stop { [weak self] in self?.stopStore() }
        }
    }

    private func perform(_ action: PerformedAction) {
        guard let peer = providers[action.provider]?.peer else { return lost(action.provider) }
        arm(.action(action.id), at: action.deadline)
        let wire = PerformWire(
            id: identifiers.id(of: action.id), action: action.action,
            transaction: identifiers.id(of: action.transaction), deadline: action.deadline.date, part: action.part)
        let serial = peer.perform(wire) { [weak self] result in
            self?.complete(action.id, of: action.provider, result)
        }
        if let serial { actions.note(action.id, as: peer.key(of: serial)) }
    }

    /// Takes a reply as fulfil and an error as fail; a peer that is gone is lost.
    private func complete(_ action: ActionID, of provider: ProviderID, _ result: Result<Message, DBusError>) {
        disarm(.action(action))
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

    /// Tells the core of a second answer to a Perform.
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

    private func announce(_ call: FilteredCall) {
        log.info("call \(call.call) of \(call.provider) filtered: \(call.reason.rawValue) by \(call.by)")
        tree.emit(
            CallSystemObject.callFiltered, from: .system, ProviderObject.path(of: call.provider), call.reason.rawValue,
            call.by.word)
    }

    private func report(_ anomaly: Anomaly) {
        let object =
            switch anomaly.subject {
            case .call(let id): CallObject.path(of: id)
            case .provider(let id): ProviderObject.path(of: id)
            case .system: ObjectPath.system
            }
        log.notice("\(anomaly.kind.rawValue) \(object): \(anomaly.text)")
        tree.emit(CallSystemObject.anomaly, from: .system, anomaly.kind.rawValue, object, anomaly.text)
    }
}
