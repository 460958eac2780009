// The invariants: checked after every step in tests and debug builds.

import CallModel

extension CallMachine {
    /// The violated invariants, each as a sentence; empty in a sound machine.
    public func violations() -> [String] {
        var found: [String] = []
        let live = calls.live
        checkTable(&found)
        checkLine(live, &found)
        checkRinging(live, &found)
        for call in calls.values.sorted(by: { $0.createdOrder < $1.createdOrder }) { checkCall(call, live, &found) }
        checkActions(&found)
        checkTransactions(&found)
        found += waitingViolations()
        found += standing.patienceViolations()
        found += audio.violations(line: calls.situation.line)
        found += standing.shareViolations(live) + standing.ownershipViolations()
        for provider in providers.keys {
            let ringing = live.count { $0.provider == provider && $0.state == .ringing && !$0.emergency }
            if ringing > limits.ringingCallsPerProvider { found.append("\(ringing) calls of \(provider) are ringing") }
        }
        if let call = suggestedResume, calls.standing(of: call)?.state != .held {
            found.append("call \(call) is suggested to be resumed and is not held")
        }
        if hasStopped, !live.isEmpty { found.append("stopped with \(live.count) live calls") }
        return found
    }

    /// The table has each call once, where it belongs.
    private func checkTable(_ found: inout [String]) {
        if calls.live.contains(where: \.hasEnded) { found.append("an ended call is among the live ones") }
        if !calls.ended.allSatisfy(\.hasEnded) { found.append("a live call is among the ended ones") }
        if Set(calls.values.map(\.id)).count != calls.count { found.append("a call is there twice") }
        if !zip(calls.live, calls.live.dropFirst()).allSatisfy({ $0.createdOrder < $1.createdOrder }) {
            found.append("the live calls are not in order of creation")
        }
    }

    /// One call rings audibly if the line is free and one rings that is not silenced; and what can be done with a call
    /// fits its state.
    private func checkRinging(_ live: [Call], _ found: inout [String]) {
        let audible = live.filter { $0.ringMode == .audible }
        let isToRing = live.contains { $0.state == .ringing && !$0.silenced } && !live.contains(where: \.hasLine)
        if audible.count != (isToRing ? 1 : 0) { found.append("\(audible.count) calls ring aloud") }
        for call in live {
            let rings = call.state == .ringing
            let fits =
                rings == (call.ringMode != nil) && rings == call.answerOptions.contains(.decline)
                && call.can.contains(.end) == (call.state != .ending)
                && call.can.contains(.resume) == (call.state == .held)
                && call.can.contains(.answer) == !call.answerOptions.isSubset(of: .decline)
                && (!call.can.contains(.hold) || call.state == .active && call.isHoldable)
                && (call.progress == nil || call.direction == .outgoing && !call.hasConnected)
            if !fits { found.append("call \(call.id) is published with abilities that do not fit its state") }
        }
    }

    /// Two connected calls that are not on hold, those that are ending among them, are members of one group, whichever
    /// providers they belong to.
    private func checkLine(_ live: [Call], _ found: inout [String]) {
        // A call that was connected when it was reported gives up the line at once, or is an emergency call that takes it.
        let adopted = callsBeingAdopted
        let talking = live.filter { $0.standing.isOffHold && !adopted.contains($0.id) }
        for (index, call) in talking.enumerated() {
            for other in talking[(index + 1)...] where call.group == nil || call.group != other.group {
                found.append("calls \(call.id) and \(other.id) both have the line")
            }
        }
        let dialing = live.filter { $0.isDialing && !$0.emergency }
        if dialing.count > 1 { found.append("more than one call is dialing: \(Refusal.list(dialing.map(\.standing)))") }
        for call in live
        where call.state == .resuming || call.state == .answering
            || call.state == .starting && !standing.isUnperformedStart(call.id)
        {
            for other in talking where call.group == nil || call.group != other.group {
                found.append("call \(call.id) is \(call.state.rawValue) while call \(other.id) has the line")
            }
        }
    }

    private func checkCall(_ call: Call, _ live: [Call], _ found: inout [String]) {
        func expect(_ truth: Bool, _ what: String) {
            if !truth { found.append("call \(call.id) (\(call.state.rawValue)): \(what)") }
        }
        let ended = call.state == .ended
        expect(ended == (call.endReason != nil && call.endedBy != nil), "an end reason if and only if it ended")
        expect(ended == (call.endedAt != 0), "an end date if and only if it ended")
        let cause = latestCause(of: call.id)
        expect(cause?.state == call.state, "the latest cause is of state \(cause?.state.rawValue ?? "none")")
        expect(call.endedBy == nil || cause?.origin == call.endedBy, "ended by whom its cause says")
        expect(call.isOnHold == (call.heldBy != nil), "held by somebody if and only if it is on hold")
        if let other = call.heldFor {
            let isThere = live.contains { $0.id == other && $0.id != call.id }
            expect(isThere && call.heldBy == .arbiter, "held for another live call only by the arbiter")
        }
        if let other = cause?.newcomer, call.state == .held, call.heldBy == .arbiter {
            let isThere = live.contains { $0.id == other }
            expect(!isThere || call.heldFor == other, "held for the call that its cause names")
        }
        expect(ended || providers[call.provider]?.isReady == true, "a live call has a live provider")
        expect(call.connectedAt == 0 || call.connectedAt >= call.startedAt, "connected after it started")
        expect(!ended || call.endedAt >= max(call.startedAt, call.connectedAt), "ended after all else")
        expect(call.translation == nil || call.hasConnected, "only a connected call is translated")
        expect(!call.isFound || call.lookedUp == call.caller, "what was found is of the present caller")
        switch call.state {
        case .active, .holding, .held, .resuming: expect(call.hasConnected, "has a connection date")
        case .starting, .started, .connecting, .ringing: expect(!call.hasConnected, "has no connection date")
        case .answering, .ending, .ended: break
        }
        expect(causes(of: call.id).count <= limits.causesPerCall, "it remembers no more causes than are allowed")
        expect(knew(call.id), "its identifier is remembered")
        if let group = call.group {
            let members = live.filter { $0.group == group }
            expect(members.count > 1, "group \(group.number) has more than one member")
            expect(members.allSatisfy { $0.provider == call.provider }, "its group is of one provider")
        }
    }

    private func checkActions(_ found: inout [String]) {
        for action in standing.work.actions where action.purpose != .notice {
            guard let call = calls[action.call], call.state != .ended else {
                found.append("action \(action.performed.id.number) is pending on a call that has ended")
                continue
            }
            if call.provider != action.performed.provider {
                found.append("action \(action.performed.id.number) went to a provider that is not the call's")
            }
        }
        for action in standing.work.actions
        where action.kind == .start && standing.nextProvider(forStarting: action.call) != nil {
            let limit = standing.now.advanced(byMilliseconds: deadlines[.emergencyStart]).uptime
            if action.performed.deadline.uptime > limit {
                found.append("emergency call \(action.call) waits for one of several providers for too long")
            }
        }
        for call in calls.values {
            switch call.state {
            case .answering, .holding, .resuming, .ending:
                if standing.work.pendingAction(on: call.id) == nil {
                    found.append("call \(call.id) is \(call.state.rawValue) but nothing is pending on it")
                }
            case .starting:
                let isAwaited = standing.work.contains {
                    $0.current?.kind == .start && $0.current?.call == call.id
                }
                if !isAwaited { found.append("call \(call.id) is starting but no transaction starts it") }
            case .started, .connecting, .ringing, .active, .held, .ended: break
            }
        }
    }

    private func checkTransactions(_ found: inout [String]) {
        for transaction in standing.work.transactions {
            let id = "transaction t\(transaction.id.number)"
            if let waiting = transaction.waitingFor {
                if standing.work[waiting.action] == nil {
                    found.append("\(id) waits for an action that is not pending")
                }
            } else if standing.work.queue.first == transaction.id || !standing.work.queue.contains(transaction.id) {
                found.append("\(id) waits for nothing and yet does not go on")
            }
        }
        for (first, user) in standing.work.misplaced {
            found.append("transaction t\(user.number) of a user waits behind t\(first.number) of a provider")
        }
        for id in standing.work.queue where standing.work[id] == nil {
            found.append("transaction t\(id.number) is queued but unknown")
        }
    }
}
