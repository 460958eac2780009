// Calls come, change and go.

import CallModel

extension CallMachine {
    mutating func add(_ call: Call, cause: Cause) {
        var call = call
        if call.startedAt == 0 { call.startedAt = now.date }
        calls.insert(call)
        explain(call.id, cause)
    }

    /// Counts a call of the owner that begins now: it came in, was started or was found. Emergency calls do not count.
    mutating func countNewCall(of owner: Owner) {
        standing.rates.countNewCall(of: owner, limits.newCalls(of: owner), at: now)
    }

    /// Applies an event to a call; ignores an event that is impossible in its state. While a call is ending, what
    /// happens to it moves the state that it had before: it may give up the line, or have been answered.
    mutating func move(_ id: CallID, _ event: CallEvent, cause: Cause) {
        guard let call = calls.standing(of: id) else { return }
        if call.state == .ending, event != .ended, let before = call.stateBeforeEnding?.next(after: event) {
            calls.update(id) { $0.stateBeforeEnding = before }
        }
        guard let next = call.state.next(after: event) else { return }
        calls.update(id) { changed in
            if event == .endPerformed { changed.stateBeforeEnding = call.state }
            changed.state = next
        }
        explain(id, cause)
    }

    /// Notes why a call is in its state.
    mutating func explain(_ id: CallID, _ cause: Cause) {
        calls.explain(id, cause, at: now, limit: limits.causesPerCall)
    }

    mutating func noteUndeclaredType(_ handle: Handle, _ provider: Provider) {
        guard !provider.configuration.supportedHandleTypes.contains(handle.type) else { return }
        effects.note(
            .undeclaredHandleType, .provider(provider.id),
            "a call with a handle of type \(handle.type.rawValue), which the provider does not declare")
    }

    /// The start action was fulfilled; what was reported before it counts from now.
    mutating func started(_ id: CallID, at date: UInt64, cause: Cause) {
        guard let call = calls[id] else { return }
        let moment = standing.clamp(date, for: id)
        calls.update(id) { $0.startedAt = moment }
        move(id, .startFulfilled, cause: cause)
        guard call.state == .starting else { return }
        if call.reportedConnecting {
            move(id, .connectingReported, cause: Cause(.connecting, by: .provider(call.provider)))
        }
        if let connected = call.reportedConnected {
            connect(id, at: connected)
        } else {
            effects.arm(.connect(id), after: .connect)
        }
    }

    mutating func connect(_ id: CallID, at date: UInt64) {
        guard let state = calls.standing(of: id)?.state, state == .started || state == .connecting else { return }
        let moment = standing.clamp(date, for: id)
        let uptime = now.uptime
        calls.update(id) { $0.connect(at: moment, uptime: uptime) }
        move(id, .connectedReported, cause: Cause(.connected, by: .remote))
        effects.append(.disarm(.connect(id)))
        if let digits = calls[id]?.postDial, !digits.isEmpty {
            admit(.postDial, [.playDTMF(id, digits: digits, tone: .softPause)])
        }
    }

    /// Looks up the name of the far side of a call that does not wait for it, once.
    mutating func lookUp(_ id: CallID) {
        guard admission.canLookUp, let call = calls[id], !call.isLookedUp, let handle = call.handle,
            call.direction == .outgoing || !call.emergency
        else { return }
        calls.update(id) { $0.isLookedUp = true }
        effects.append(.lookUp(id, handle))
    }

    /// Takes the name of the far side of a call that no longer waits for it. Unknown calls are ignored.
    mutating func name(_ id: CallID, _ caller: CallerFacts) {
        guard !caller.isUnanswered else { return }
        calls.update(id) { call in
            call.names.take(caller)
            call.contactImage = caller.image
            if call.contactIdentifier.isEmpty, call.callerNameSource == .contacts {
                call.contactIdentifier = caller.contact
            }
        }
    }

    mutating func regroup(_ id: CallID, with other: CallID?, cause: Cause) {
        guard let call = calls.standing(of: id) else { return }
        let former = calls.members(with: id).map(\.id).filter { $0 != id }
        leaveGroup(id)
        guard let other else {
            for member in former where calls.standing(of: member)?.course == .active {
                let parted = cause.then(.parted, by: .arbiter(for: cause.requester))
                let order = calls.nextOrder()
                calls.update(member) {
                    $0.heldBy = parted.heldBy(of: call.provider)
                    $0.heldOrder = order
                }
                move(member, .parted, cause: parted)
            }
            joinLine(id, cause: cause)
            return
        }
        calls.group(call.id, with: other)
        for member in calls.members(with: id) { joinLine(member.id, cause: cause) }
    }

    /// Resumes a call by its group action (rule 14).
    mutating func joinLine(_ id: CallID, cause: Cause) {
        calls.update(id) { $0.heldBy = nil }
        move(id, .joined, cause: cause)
    }

    /// Takes a call out of its group; the last member is a lone call again.
    mutating func leaveGroup(_ id: CallID) {
        guard calls.standing(of: id)?.group != nil else { return }
        let others = calls.members(with: id).filter { $0.id != id }
        calls.update(id) { $0.group = nil }
        if others.count == 1, let last = others.first { calls.update(last.id) { $0.group = nil } }
    }
}

extension Call {
    /// - Parameters:
    ///   - date: in µs since the epoch.
    ///   - uptime: in µs on the clock that does not jump.
    mutating func connect(at date: UInt64, uptime: UInt64) {
        standing.connectedAt = date
        details.connectedAtMonotonic = uptime
    }
}

extension NetworkEnd {
    /// ` (busy)`, or nothing.
    var text: String { detail.map { " (\($0.rawValue))" } ?? "" }
}
