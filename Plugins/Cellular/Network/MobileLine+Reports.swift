// What the system is told when the modem's list of calls has changed.

import EventLoop
import OpenCallKit

extension MobileLine {
    /// Compares the modem's list with what the system has been told, and reports the difference.
    func reconcile() {
        let network = network
        for call in told.keys.sorted() where network.calls[call] == nil { end(call, modem.takeEndCause(of: call)) }
        numberWaits = numberWaits.filter { network.calls[$0.key] != nil }
        fulfil(network)
        for call in network.calls where told[call.id] == nil { meet(call) }
        for call in network.calls where !call.isMultiparty { told[call.id]?.isGrouped = false }
        for call in network.calls {
            reportNumber(call)
            reportProgress(call)
        }
        if servicesUnderWay == 0 {
            for call in network.calls where call.isConnected && told[call.id]?.stage == .ringing { answered(call.id) }
            reportHolds(network)
        }
        watch()
        reconciled()
    }

    /// Fulfils the actions whose calls are where they shall be.
    private func fulfil(_ network: BelievableCalls) {
        for wait in awaited where wait.isReached(in: network) {
            told[wait.call]?.isHeld = wait.goal == .held
            if wait.goal == .active { told[wait.call]?.stage = .connected }
            if wait.action is CXSetGroupCallAction { adjustGroup(wait, network) }
            wait.action.fulfill()
        }
        awaited.removeAll { $0.isReached(in: network) || $0.action.isComplete }
    }

    /// The system takes all members of a group that it makes to be heard, and the rest of one that a call leaves to be held.
    private func adjustGroup(_ wait: AwaitedPhase, _ network: BelievableCalls) {
        let isJoining = wait.partner != nil
        for member in network.calls where member.isConnected && told[member.id]?.stage == .connected {
            told[member.id]?.isHeld = !isJoining && member.id != wait.call
            told[member.id]?.isGrouped = isJoining
        }
    }

    // MARK: calls that are new

    private func meet(_ call: MobileCall) {
        switch call.phase {
        case .incoming, .waiting: if !awaitsNumber(call) { reportIncoming(call) }
        case .active, .held:
            // A call that is being dialed here may be connected before the modem has answered.
            if !call.isOutgoing || starts.isEmpty { adopt(call) }
        // One that was dialed elsewhere is adopted once it is connected.
        case .dialing, .alerting: break
        }
    }

    private func note(_ call: MobileCall, _ stage: ToldCall.Stage) -> UUID {
        let uuid = UUID()
        told[call.id] = ToldCall(
            uuid: uuid, isOutgoing: call.isOutgoing, isEmergency: isEmergency(call.number), stage: stage,
            hasNumber: !call.number.isEmpty, isHeld: call.phase == .held)
        return uuid
    }

    func update(for call: MobileCall) -> CXCallUpdate {
        let update = CXCallUpdate()
        if !call.number.isEmpty { update.remoteHandle = CXHandle(type: .phoneNumber, value: call.number) }
        return update
    }

    private func reportIncoming(_ call: MobileCall) {
        let uuid = note(call, .offered)
        Task { @LoopActor in
            do {
                try await provider.reportNewIncomingCall(with: uuid, update: update(for: call))
                if told[call.id]?.stage == .offered { told[call.id]?.stage = .ringing }
                reconcile()
            } catch {
                await refuse(call.id)
            }
        }
    }

    /// The call exists already: it outlived a worker, or was dialed by another program.
    private func adopt(_ call: MobileCall) {
        let uuid = note(call, .connected)
        let isEmergency = isEmergency(call.number)
        // Of a conference, the system is told one call that is heard; the others join it.
        let isMember = told.contains { id, other in
            id != call.id && other.stage == .connected && !other.isHeld && modem.calls[id]?.isMultiparty == true
        }
        let isHeld = call.phase == .held || (call.isMultiparty && isMember)
        told[call.id]?.isHeld = isHeld
        Task { @LoopActor in
            let update = update(for: call)
            update.isEmergency = isEmergency
            do {
                try await provider.reportOngoingCall(
                    with: uuid, isOutgoing: call.isOutgoing, isOnHold: isHeld, connectedAt: nil, update: update)
                reconcile()
            } catch {
                if isEmergency { told[call.id]?.stage = .refused } else { await refuse(call.id) }
            }
        }
    }

    /// Ends a call that the system does not have. If the modem does not do it, it is asked again later.
    func refuse(_ call: String) async {
        guard told[call] != nil else { return }
        told[call]?.stage = .refused
        told[call]?.mustEnd = true
        do throws(ModemFailure) {
            try await ask(.hangUp(call))
        } catch {
            if error == .gone { modemIsLost() }
        }
    }

    // MARK: calls that change

    /// Another program has answered a call that rings. The system is asked to answer it, and makes room for it; if it does
    /// not, the call has been answered elsewhere, and is one that was found.
    private func answered(_ call: String) {
        guard let now = told[call], !now.isAnsweredElsewhere, !awaited.contains(where: { $0.call == call }) else {
            return
        }
        told[call]?.isAnsweredElsewhere = true
        let action = CXAnswerCallAction(call: now.uuid)
        controller.request(CXTransaction(action: action)) { [weak self] error in
            guard error != nil else { return }
            Loop.shared.post { self?.leave(call, now.uuid) }
        }
    }

    private func leave(_ call: String, _ uuid: UUID) {
        guard told[call]?.uuid == uuid, told[call]?.stage == .ringing else { return }
        told[call] = nil
        provider.reportCall(with: uuid, endedAt: nil, reason: .answeredElsewhere)
        reconcile()
    }

    private func reportProgress(_ call: MobileCall) {
        guard let now = told[call.id], now.isOutgoing else { return }
        switch (now.stage, call.phase) {
        case (.dialing, .alerting):
            told[call.id]?.stage = .alerting
            provider.reportOutgoingCall(with: now.uuid, startedConnectingAt: nil)
            let update = CXCallUpdate()
            update.progress = .alerting
            provider.reportCall(with: now.uuid, updated: update)
        // One that is held already was answered, and exchanged, before the list was read.
        case (.dialing, .active), (.alerting, .active), (.dialing, .held), (.alerting, .held):
            told[call.id]?.stage = .connected
            provider.reportOutgoingCall(with: now.uuid, connectedAt: nil)
        default: break
        }
    }

    /// Reports what the network has held and resumed. A resume comes first, so that one of the calls is always heard.
    private func reportHolds(_ network: BelievableCalls) {
        let connected = network.calls.filter { call in
            told[call.id]?.stage == .connected && call.isConnected && !awaited.contains { $0.call == call.id }
        }
        for call in connected where call.phase == .active && told[call.id]?.isHeld == true {
            if let partner = partner(of: call, in: network) {
                join(call.id, with: partner)
            } else {
                report(call.id, isHeld: false)
            }
        }
        for call in connected where call.phase == .held && told[call.id]?.isHeld == false {
            report(call.id, isHeld: true)
        }
    }

    private func report(_ call: String, isHeld: Bool) {
        guard let now = told[call] else { return }
        told[call]?.isHeld = isHeld
        let update = CXCallUpdate()
        update.isOnHold = isHeld
        provider.reportCall(with: now.uuid, updated: update)
    }

    /// A call of the same conference that the system takes to be heard.
    private func partner(of call: MobileCall, in network: BelievableCalls) -> String? {
        guard call.isMultiparty else { return nil }
        return network.calls.first { other in
            other.id != call.id && other.isMultiparty && other.phase == .active
                && told[other.id]?.stage == .connected && told[other.id]?.isHeld == false
        }?.id
    }

    /// The conference was made elsewhere, or outlived a worker: the system groups its calls when it is asked to.
    private func join(_ call: String, with partner: String) {
        guard let one = told[call], let other = told[partner], !one.isGrouped else { return }
        told[call]?.isGrouped = true
        let action = CXSetGroupCallAction(call: one.uuid, callUUIDToGroupWith: other.uuid)
        controller.request(CXTransaction(action: action)) { [weak self] error in
            Loop.shared.post { if error != nil { self?.told[call]?.isGrouped = false } }
        }
    }

    // MARK: calls that end

    /// Reports that a call has ended, unless this side has ended it.
    func end(_ call: String, _ cause: EndCause) {
        guard let last = told.removeValue(forKey: call) else { return }
        let mine = awaited.filter { $0.call == call }
        awaited.removeAll { $0.call == call }
        for wait in mine {
            if wait.goal == nil { wait.action.fulfill() } else { wait.action.fail(as: .unreachable) }
        }
        guard last.stage != .refused, !mine.contains(where: { $0.goal == nil }) else { return }
        let end = ReportedEnd(isOutgoing: last.isOutgoing, wasConnected: last.stage == .connected, cause: cause)
        let details = CXCallEndedDetails(reason: end.detail)
        Task { @LoopActor in try? await provider.report(.ended(nil, end.reason, details), for: last.uuid) }
    }
}
