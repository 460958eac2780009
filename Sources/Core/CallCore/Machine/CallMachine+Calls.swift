// Calls come, change and go.

import CallModel

extension CallMachine {
    mutating func add(_ call: Call, cause: Cause) {
        var call = call
        call.createdOrder = takeOrder()
        call.startedAt = now.date
        usedIDs.insert(call.id)
        calls.insert(call, GroupLimits(providers[call.provider]?.configuration))
        explain(call.id, cause)
    }

    /// Lets an event happen to a call; one that is impossible in its state means nothing. While a call is ending, what
    /// happens to it moves the state that it had before: it may give up the line, or have been answered.
    mutating func move(_ id: CallID, _ event: CallEvent, cause: Cause) {
        guard let slot = calls.slot(of: id), let state = calls[slot: slot]?.state else { return }
        if state == .ending, event != .ended, let before = calls[slot: slot]?.stateBeforeEnding?.next(after: event) {
            calls.update(slot) { $0.stateBeforeEnding = before }
        }
        guard let next = state.next(after: event) else { return }
        calls.update(slot) { call in
            if event == .endPerformed { call.stateBeforeEnding = state }
            call.state = next
        }
        explain(id, cause)
    }

    mutating func note(_ kind: Anomaly.Kind, _ subject: Anomaly.Subject, _ text: String) {
        effects.append(.anomaly(Anomaly(kind: kind, subject: subject, text: text)))
    }

    mutating func noteUndeclaredType(_ handle: Handle, _ provider: Provider) {
        guard !provider.configuration.supportedHandleTypes.contains(handle.type) else { return }
        note(
            .undeclaredHandleType, .provider(provider.id),
            "a call with a handle of type \(handle.type.rawValue), which the provider does not declare")
    }

    /// The start action was fulfilled; what was reported before it counts from now.
    mutating func started(_ id: CallID, at date: UInt64, cause: Cause) {
        guard let call = calls[id] else { return }
        let moment = clamp(date, for: id)
        calls.update(id) { $0.startedAt = moment }
        move(id, .startFulfilled, cause: cause)
        guard call.state == .starting else { return }
        if call.reportedConnecting {
            move(id, .connectingReported, cause: Cause(.connecting, by: .provider(call.provider)))
        }
        if let connected = call.reportedConnected {
            connect(id, at: connected)
        } else {
            effects.append(.arm(.connect(id), at: now.advanced(byMilliseconds: deadlines[.connect])))
        }
    }

    mutating func connect(_ id: CallID, at date: UInt64) {
        guard let state = calls.state(of: id), state == .started || state == .connecting else { return }
        let moment = clamp(date, for: id)
        calls.update(id) { $0.connectedAt = moment }
        move(id, .connectedReported, cause: Cause(.connected, by: .remote))
        effects.append(.disarm(.connect(id)))
    }

    /// Dates from outside are kept between the call's latest date and now; 0 is now. Clocks may go back, calls do not.
    func clamp(_ date: UInt64, for id: CallID) -> UInt64 {
        guard let slot = calls.slot(of: id), let startedAt = calls[slot: slot]?.startedAt else { return now.date }
        return max(min(date == 0 ? now.date : date, now.date), startedAt, calls[slot: slot]?.connectedAt ?? 0)
    }

    mutating func regroup(_ id: CallID, with other: CallID?, cause: Cause) {
        guard let call = calls[id] else { return }
        let former = calls.members(with: id).compactMap { calls[slot: $0]?.id }.filter { $0 != id }
        leaveGroup(id)
        guard let other else {
            for member in former where calls.state(of: member) == .active {
                let parted = cause.then(.parted, by: .arbiter(for: cause.requester))
                calls.update(member) { $0.heldBy = parted.heldBy(of: call.provider) }
                let order = takeOrder()
                calls.update(member) { $0.heldOrder = order }
                move(member, .parted, cause: parted)
            }
            joinLine(id, cause: cause)
            return
        }
        let group: GroupID
        if let existing = calls[other]?.group {
            group = existing
        } else {
            counters.group += 1
            group = GroupID(number: counters.group)
            calls.update(other) { $0.group = group }
            let order = takeOrder()
            calls.update(other) { $0.joinedOrder = order }
        }
        calls.update(call.id) { $0.group = group }
        let order = takeOrder()
        calls.update(call.id) { $0.joinedOrder = order }
        for member in calls.members(with: id).compactMap({ calls[slot: $0]?.id }) { joinLine(member, cause: cause) }
    }

    /// Un-holds a call by its group action (rule 14).
    mutating func joinLine(_ id: CallID, cause: Cause) {
        calls.update(id) { $0.heldBy = nil }
        move(id, .joined, cause: cause)
    }

    /// Takes a call out of its group; the last member is a lone call again.
    mutating func leaveGroup(_ id: CallID) {
        guard calls[id]?.group != nil else { return }
        let others = calls.members(with: id).filter { calls[slot: $0]?.id != id }
        calls.update(id) { $0.group = nil }
        if others.count == 1, let last = others.first { calls.update(last) { $0.group = nil } }
    }
}
