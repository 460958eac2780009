// How each effect is carried out.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

extension CallSystemHost {
    func carryOut(_ effect: Effect) {
        switch effect {
        case .perform(let action): perform(action)
        case .timedOut(let action, let provider):
            tell(provider, ProviderMember.Delegate.timedOut, identifiers.text(of: action))
        case .transactionEnded(let transaction, let provider, let failed):
            let details: VariantDictionary = ["failed": .bool(failed)]
            tell(provider, ProviderMember.Delegate.transactionEnded, identifiers.text(of: transaction), details)
        case .reply(let id, let reply):
            if case .failed(let error) = reply, error.code == .limitsExceeded { refused += 1 }
            replies.answer(id, with: reply)
        case .lookUp(let id, let handle):
            callerLookUp?.lookUp(handle, for: id) { [weak self] in self?.submit(.lookedUp(id, $0)) }
        case .screen(let call, let screener): screen(call, by: screener)
        case .callAdded(let call):
            export(call)
            if call.state == .ringing { desktopAgent.callRings() }
        case .callChanged(let call, _): announce(call, inTime: false)
        case .callRemoved(let id): withdraw(id)
        case .callEnded(let id, let reason, let origin):
            let path = ObjectPath.call(id)
            tree.emit(CallSystemObject.callEnded, from: .system, path, reason.rawValue, origin.rawValue)
        case .callFiltered(let call): announce(call)
        case .activeCallChanged(let id): announce(activeCall: id)
        case .ringingCallChanged(let id): announce(ringingCall: id)
        case .suggestedResumeChanged(let id): announce(suggestedResume: id)
        case .resumeSuggested(let id):
            tree.emit(CallSystemObject.resumeSuggested, from: .system, ObjectPath.call(id))
        case .anomaly(let anomaly): report(anomaly)
        case .providerAdded(let provider): export(provider)
        case .providerChanged(let provider): announce(provider)
        case .providerRemoved(let id): withdraw(id)
        case .reset(let id): tell(id, ProviderMember.Delegate.reset)
        case .activateAudio(let id, let call):
            let details: VariantDictionary = ["call-uuid": .string(call.description)]
            tell(id, ProviderMember.Delegate.audioSessionActivated, details)
        case .deactivateAudio(let id): deactivateAudio(id)
        case .prepareAudio(let agent, let provider, let call, let isSwitching):
            prepareAudio(agent, for: provider, call, isSwitching: isSwitching)
        case .finishAudio(let agent): finishAudio(agent)
        case .audioChanged(let audio): announce(audio)
        case .arm(let timer, let moment): arm(timer, at: moment)
        case .disarm(let timer): disarm(timer)
        case .stop: plugins.stop { [weak self] in self?.stopHelpers() }
        }
    }

    private func announce(_ call: FilteredCall) {
        log.info("call \(call.call) of \(call.provider) filtered: \(call.reason.rawValue) by \(call.by)")
        guard follower != nil, store.isReachable, recents.isIncluded(call.provider) else { return emit(call, row: 0) }
        let now = clock.now
        let end = now.advanced(byMilliseconds: Self.patienceForRow)
        unannounced[call.call] = (
            call, clock.timer(at: end) { [weak self] in self?.filteredCallIsRecorded(call.call, 0) }
        )
    }

    /// How long the signal of a filtered call waits for its row, in ms.
    private static var patienceForRow: UInt32 { 1_000 }

    /// Announces a filtered call whose row has been written, or is not waited for any longer.
    func filteredCallIsRecorded(_ call: CallID, _ row: Int64) {
        if let (call, _) = unannounced.removeValue(forKey: call) { emit(call, row: row) }
    }

    private func emit(_ call: FilteredCall, row: Int64) {
        tree.emit(
            CallSystemObject.callFiltered, from: .system, ObjectPath.provider(call.provider), call.reason.rawValue,
            call.by.word, row)
    }

    private func report(_ anomaly: Anomaly) {
        let object =
            switch anomaly.subject {
            case .call(let id): ObjectPath.call(id)
            case .provider(let id): ObjectPath.provider(id)
            case .system: ObjectPath.system
            }
        emitAnomaly(anomaly.kind.rawValue, object, anomaly.text, by: owner(of: anomaly.subject))
    }

    private func owner(of subject: Anomaly.Subject) -> Owner? {
        switch subject {
        case .call(let id): machine.calls[id].flatMap { machine.providers[$0.provider]?.owner }
        case .provider(let id): machine.providers[id]?.owner
        case .system: nil
        }
    }

    /// Logs and signals that somebody or something misbehaved, unless there is too much of that.
    ///
    /// - Parameter owner: who did; nil for anybody.
    func emitAnomaly(_ kind: String, _ object: ObjectPath, _ text: String, by owner: Owner?) {
        if notices.take(owner) { sendAnomaly(kind, object, text) }
    }

    /// Logs and signals something, whatever else was.
    func sendAnomaly(_ kind: String, _ object: ObjectPath, _ text: String) {
        log.notice("\(kind) \(object): \(text)")
        tree.emit(CallSystemObject.anomaly, from: .system, kind, object, text)
    }
}
