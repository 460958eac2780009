// What networks do beside CallKit: transfers, requests for them, exchanges and ongoing calls, with their flaws.

import OpenCallKit

extension Flawed {
    // MARK: transfers

    func transfer(_ action: CXTransferCallAction) {
        let transferred = [action.callUUID] + [action.otherCallUUID].compactMap(\.self)
        switch Flaw.ordered {
        case .promisesTransfer:
            action.fail(
                with: CXErrorCodeRequestTransactionError(
                    .invalidAction, message: "not yet", busName: "org.opencallkit.Error.NotSupported"))
        case .refusesTransfers: action.fail(as: .unreachable, "nobody picks up")
        case .losesWhatItCannotTransfer:
            calls.subtract(transferred)
            action.fail()
        case .neverTransfers: break
        case .endsBeforeTransferring:
            for call in transferred { provider.reportCall(with: call, endedAt: nil, reason: .remoteEnded) }
            calls.subtract(transferred)
            action.fulfill()
        default:
            if !has(.keepsTransferredCalls) { calls.subtract(transferred) }
            action.fulfill()
            guard has(.reportsTransferredCalls) else { return }
            for call in transferred + transferred { provider.reportCall(with: call, updated: CXCallUpdate()) }
        }
    }

    // MARK: transfer requests

    func beAsked(_ party: CXHandle, _ action: CXCustomAction) {
        guard calls.contains(lastCall) else { return action.fail("there is no call") }
        let update = CXCallUpdate()
        update.transferRequest = .to(party)
        if has(.transfersUnasked) { update.remoteHandle = party }
        lastParty = party
        if !has(.hidesTransferRequests) { provider.reportCall(with: lastCall, updated: update) }
        action.fulfill()
    }

    func answerRequest(_ action: CXAnswerTransferCallAction) {
        switch Flaw.ordered {
        case .promisesToGoOn:
            action.fail(
                with: CXErrorCodeRequestTransactionError(
                    .invalidAction, message: "not yet", busName: "org.opencallkit.Error.NotSupported"))
        case .neverGoesOn: break
        case .reachesNobody where action.handle != nil: action.fail(as: .unreachable, "nobody picks up")
        case .endsWhatGoesOn where action.handle != nil:
            provider.reportCall(with: action.callUUID, endedAt: nil, reason: .remoteEnded)
            calls.remove(action.callUUID)
            action.fulfill()
        default:
            let party = has(.transfersTheDeclined) ? lastParty : action.handle
            action.fulfill()
            guard let party, !has(.keepsTheOldParty) else { return }
            let update = CXCallUpdate()
            update.remoteHandle = party
            provider.reportCall(with: action.callUUID, updated: update)
        }
    }

    // MARK: exchanges

    static var exchangesCalls: Bool {
        has(.exchangesItsCalls) || has(.exchangesHalf) || has(.exchangesAgain) || has(.exchangesApart)
    }

    func hold(_ action: CXSetHeldCallAction) {
        let exchange = provider.pendingTransactions.first { whole in
            whole.actions.count == 2 && whole.actions.contains { $0 === action }
        }
        guard Self.exchangesCalls, let exchange else { return action.fulfill() }
        if has(.exchangesApart), action.isOnHold {
            for case let half as CXSetHeldCallAction in exchange.actions where half !== action {
                report(half.callUUID, false)
            }
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { action.fulfill() }
            return
        }
        if has(.exchangesItsCalls) {
            for case let half as CXSetHeldCallAction in exchange.actions { report(half.callUUID, half.isOnHold) }
        }
        if has(.exchangesHalf), !action.isOnHold { action.fail() } else { action.fulfill() }
        if has(.exchangesAgain) { report(action.callUUID, !action.isOnHold) }
    }

    private func report(_ call: UUID, _ isOnHold: Bool) {
        let update = CXCallUpdate()
        update.isOnHold = isOnHold
        provider.reportCall(with: call, updated: update)
    }

    // MARK: ongoing calls

    /// The action that requests the hold comes before the report is answered.
    func beOngoing(_ uuid: UUID, _ update: CXCallUpdate, _ action: CXCustomAction) {
        let reported = has(.reusesOngoingCalls) ? lastCall : uuid
        if has(.hidesOngoingCallers) { update.remoteHandle = nil }
        if !has(.forgetsOngoingCalls) { began(uuid) }
        Task {
            do {
                try await provider.reportOngoingCall(
                    with: reported, isOutgoing: true, connectedAt: nil, update: update)
                began(uuid)
                action.fulfill()
            } catch {
                calls.remove(uuid)
                action.fail("the call was not taken over")
            }
        }
    }

    /// A call that every worker reports again, as one that outlives them.
    func bringCallAlong() {
        Task {
            try? await reportOngoing(UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16)))
        }
    }

    func reportOngoing(_ uuid: UUID) async throws {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: "somebody")
        try await provider.reportOngoingCall(with: uuid, isOutgoing: true, connectedAt: nil, update: update)
    }
}
