// Checks an action against its call: existence, state and capability.

import CallModel

extension Standing {
    /// - Throws: `UnknownCall`, `AlreadyEnded`.
    func live(_ id: CallID) throws(CallError) -> CallStanding {
        guard let call = calls.standing(of: id) else { throw CallError(.unknownCall, "no call \(id)") }
        guard call.state != .ended else { throw CallError(.alreadyEnded, "call \(id) has ended") }
        return call
    }

    /// - Returns: the call that the action is about.
    /// - Throws: what the contract states for an action in the wrong state, without the capability, or on no call.
    @discardableResult
    func checkPossible(_ action: CallAction) throws(CallError) -> CallStanding {
        let call = try live(action.call)
        switch action {
        case .start: throw CallError(.callUUIDAlreadyExists, "call \(call.id) exists")
        case .answer:
            guard call.direction == .incoming else {
                throw CallError(.invalidAction, "call \(call.id) is outgoing, only incoming calls are answered")
            }
            try refuseEnding(call)
        case .end: break
        case .setHeld(_, let onHold): try checkHold(call, onHold)
        case .setMuted:
            try refuseEnding(call)
            guard call.state != .ringing else {
                throw CallError(.invalidAction, "call \(call.id) is ringing, it cannot be muted")
            }
        case .setGroup(_, let other): try checkGroup(call, with: other)
        case .playDTMF(_, let digits, _):
            try refuseEnding(call)
            guard !digits.isEmpty || calls[call.id]?.waitingDigits.isEmpty == false else {
                throw CallError(.invalidAction, "no digits of call \(call.id) wait for the user")
            }
            guard call.supportsDTMF else { throw CallError(.notSupported, "call \(call.id) takes no DTMF") }
            guard call.state == .active else {
                throw CallError(.invalidAction, "call \(call.id) is \(call.state.rawValue), DTMF needs an active call")
            }
        case .setTranslating:
            try refuseEnding(call)
            // A translation under way can be ended, even if the provider no longer declares translation.
            guard calls[call.id]?.translation != nil || isTranslatable(call) else {
                throw CallError(.notSupported, "provider \(call.provider) does not translate its calls")
            }
            guard call.hasConnected else {
                throw CallError(
                    .invalidAction, "call \(call.id) is \(call.state.rawValue), only connected calls are translated")
            }
        case .transfer(_, let target): try checkTransfer(call, to: target)
        case .answerTransfer(_, let handle): try checkTransferAnswer(call, to: handle)
        }
        return call
    }

    func reported(_ id: CallID, by provider: ProviderID) throws(CallError) -> CallStanding {
        guard calls.standing(of: id)?.provider == provider else { throw CallError(.unknownCall, "no call \(id)") }
        return try live(id)
    }

    func requireOutgoing(_ call: CallStanding, _ what: String) throws(CallError) {
        guard call.direction == .outgoing else {
            throw CallError(.invalidAction, "call \(call.id) is incoming, only outgoing calls are reported \(what)")
        }
    }

    private func checkTransfer(_ call: CallStanding, to target: TransferTarget) throws(CallError) {
        try refuseUntransferable(call)
        guard case .call(let id) = target else {
            if case .handle(let handle) = target { try refuseUncallable(handle, call) }
            return
        }
        let other = try live(id)
        guard other.id != call.id else {
            throw CallError(.invalidAction, "call \(call.id) cannot be transferred to itself")
        }
        guard other.provider == call.provider else {
            throw CallError(
                .notSameProvider,
                "call \(call.id) is of provider \(call.provider), call \(other.id) of provider \(other.provider)")
        }
        try refuseUntransferable(other)
    }

    private func refuseUntransferable(_ call: CallStanding) throws(CallError) {
        try refuseEnding(call)
        guard providers[call.provider]?.configuration.supportsTransfer == true else {
            throw CallError(.notSupported, "provider \(call.provider) does not transfer its calls")
        }
        try refuseUnmovable(call)
    }

    /// The far side may have changed its request after the user saw it: the user accepts what is named.
    private func checkTransferAnswer(_ call: CallStanding, to handle: Handle?) throws(CallError) {
        try refuseUnmovable(call)
        guard call.isTransferRequested else {
            throw CallError(.invalidAction, "the far side of call \(call.id) does not ask for a transfer")
        }
        guard handle == nil || handle == calls[call.id]?.transferRequest else {
            throw CallError(.invalidAction, "the far side of call \(call.id) asks for a transfer to another handle")
        }
        if let handle { try refuseUncallable(handle, call) }
    }

    /// The party that a transfer names is called by the provider of the call: it is no service code, and rule 19 holds.
    private func refuseUncallable(_ handle: Handle, _ call: CallStanding) throws(CallError) {
        _ = try callable(handle)
        guard isEmergency(handle), providers[call.provider]?.isEmergency(handle) != true else { return }
        throw CallError(
            .notSupported,
            "provider \(call.provider) does not reach the emergency services, it transfers nobody to \(handle.asDialed.value)"
        )
    }

    private func refuseUnmovable(_ call: CallStanding) throws(CallError) {
        try refuseEnding(call)
        guard !call.emergency else {
            throw CallError(.notSupported, "call \(call.id) is an emergency call, it is never transferred")
        }
        guard call.isTalking else {
            throw CallError(
                .invalidAction, "call \(call.id) is \(call.state.rawValue), only active and held calls are transferred")
        }
    }

    private func isTranslatable(_ call: CallStanding) -> Bool {
        providers[call.provider]?.configuration.supportsAudioTranslation ?? false
    }

    private func refuseEnding(_ call: CallStanding) throws(CallError) {
        guard call.state != .ending else { throw CallError(.alreadyEnded, "call \(call.id) is ending") }
    }

    private func checkHold(_ call: CallStanding, _ onHold: Bool) throws(CallError) {
        try refuseEnding(call)
        if onHold { try forEachToBeHeld(call, Self.refuseUnholdable) }
        guard call.hasConnected || call.state == .answering else {
            throw CallError(
                .invalidAction, "call \(call.id) is \(call.state.rawValue), only connected calls are held or resumed")
        }
        if onHold { try forEachToBeHeld(call, Self.refuseUnholdableNow) }
    }

    /// A group is held as a whole.
    private func forEachToBeHeld(_ call: CallStanding, _ check: (CallStanding) throws(CallError) -> Void)
        throws(CallError)
    {
        for member in calls.members(with: call.id) where member.isToBeHeld { try check(member) }
    }

    private static func refuseUnholdable(_ call: CallStanding) throws(CallError) {
        guard call.supportsHolding else {
            throw CallError(.notSupported, "call \(call.id) does not support holding")
        }
        guard !call.emergency else {
            throw CallError(.notSupported, "call \(call.id) is an emergency call, it is never held")
        }
    }

    private static func refuseUnholdableNow(_ call: CallStanding) throws(CallError) {
        guard call.canHoldNow else { throw CallError(.invalidAction, "call \(call.id) cannot be held now") }
    }

    private func checkGroup(_ call: CallStanding, with otherID: CallID?) throws(CallError) {
        try refuseEnding(call)
        guard let otherID else {
            guard call.group == nil || call.supportsUngrouping else {
                throw CallError(.notSupported, "call \(call.id) does not support ungrouping")
            }
            return
        }
        let other = try live(otherID)
        guard other.id != call.id else {
            throw CallError(.invalidAction, "call \(call.id) cannot be grouped with itself")
        }
        guard other.provider == call.provider else {
            throw CallError(
                .notSameProvider,
                "call \(call.id) is of provider \(call.provider), call \(other.id) of provider \(other.provider)")
        }
        for member in [call, other] {
            try refuseEnding(member)
            guard member.supportsGrouping else {
                throw CallError(.notSupported, "call \(member.id) does not support grouping")
            }
            guard !member.emergency else {
                throw CallError(.notSupported, "call \(member.id) is an emergency call, it is never grouped")
            }
            guard member.hasConnected else {
                throw CallError(
                    .invalidAction, "call \(member.id) is \(member.state.rawValue), only connected calls are grouped")
            }
        }
        guard call.group == nil || call.group != other.group else { return }
        let size = calls.members(with: other.id).count
        let maximum = Int(providers[call.provider]?.configuration.maximumCallsPerCallGroup ?? 0)
        guard size < maximum else {
            throw CallError(
                .limitsExceeded, "the group of call \(other.id) has \(size) calls, its provider allows \(maximum)")
        }
    }
}

extension CallStanding {
    fileprivate var isToBeHeld: Bool { !isOnHold && state != .ending }
}
