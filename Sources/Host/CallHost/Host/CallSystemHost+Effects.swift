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
            tell(provider, ProviderMember.Delegate.timedOut, identifiers.text(of: action))
        case .transactionEnded(let transaction, let provider, let failed):
            tell(provider, ProviderMember.Delegate.transactionEnded, identifiers.text(of: transaction), failed)
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
        case .reset(let id): tell(id, ProviderMember.Delegate.reset)
        case .activateAudio(let id, let call):
            let details: VariantDictionary = ["call-uuid": .string(call.description)]
            tell(id, ProviderMember.Delegate.audioSessionActivated, details)
        case .deactivateAudio(let id): deactivateAudio(id)
        case .audioChanged: announceAudio()
        case .arm(let timer, let moment): arm(timer, at: moment)
        case .disarm(let timer): disarm(timer)
        case .stop:
            tree.announceNow()
            plugins.stop { [weak self] in self?.stopStore() }
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
