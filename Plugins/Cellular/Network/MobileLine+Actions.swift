// How the actions of the system are performed.

import EventLoop
import OpenCallKit

extension MobileLine {
    /// How long an action waits until its call is where it shall be, in milliseconds. The system waits for five seconds.
    private static let patience = 4_000

    /// Performs a transaction, step by step. A step that fails ends it.
    func execute(_ actions: [CXAction]) {
        Task { @LoopActor in
            let calls = actions.compactMap { $0 as? CXCallAction }
            for action in actions where !(action is CXCallAction) { action.fail(as: .unsupported) }
            if !calls.allSatisfy({ $0 is CXEndCallAction }) { await turn() }
            let plan = ServicePlan(calls.map(lineAction), among: network.calls)
            for step in plan.steps {
                let part = Array(calls[step.actions])
                guard !part.contains(where: \.isComplete), await perform(step.work, part) else { break }
            }
            // What follows a failure will not be asked for.
            for action in calls where !action.isComplete && !isPending(action) { action.fail(as: .unreachable) }
        }
    }

    /// Waits while a service is under way, whose answer may come after the news of what it has done: two exchanges at once
    /// would be none.
    private func turn() async {
        let end = MonotonicTime.now.advanced(byMilliseconds: Self.patience)
        while servicesUnderWay > 0, MonotonicTime.now < end { await nextChange(withinMilliseconds: 1_000) }
    }

    /// The system does not have the call any more; the network is asked to end it until it does.
    private func forget(_ call: String) {
        told[call]?.stage = .refused
        told[call]?.mustEnd = true
    }

    /// Whether the answer to an action is still to come.
    private func isPending(_ action: CXCallAction) -> Bool {
        awaited.contains { $0.action === action }
            || cancelledStarts[action.callUUID]?.contains { $0 === action } == true
    }

    /// The system does not await an action any more. What the network has done in the meantime is a fact, which is
    /// reported; a call that was answered in vain is ended.
    func withdraw(_ action: CXAction) {
        guard let action = action as? CXCallAction, let call = name(of: action.callUUID) else { return }
        awaited.removeAll { $0.action === action }
        switch action {
        case is CXSetHeldCallAction:
            if let phase = modem.calls[call]?.phase { told[call]?.isHeld = phase != .held }
        case is CXAnswerCallAction: Task { @LoopActor in await refuse(call) }
        default: break
        }
        reconcile()
    }

    private func lineAction(_ action: CXCallAction) -> LineAction {
        if action is CXStartCallAction || starts[action.callUUID] != nil { return .other }
        guard let call = name(of: action.callUUID) else { return .unknown }
        switch action {
        case let action as CXSetHeldCallAction: return action.isOnHold ? .hold(call) : .resume(call)
        case is CXAnswerCallAction: return .answer(call)
        case is CXEndCallAction: return .end(call)
        case let action as CXSetGroupCallAction:
            guard let other = action.callUUIDToGroupWith else { return .leave(call) }
            return name(of: other).map { .join(call, with: $0) } ?? .unknown
        default: return .other
        }
    }

    /// Performs one step. Returns false if it failed.
    private func perform(_ work: ServiceStep.Work, _ actions: [CXCallAction]) async -> Bool {
        switch work {
        case .service(let service): return await perform(service, actions)
        case .nothing:
            expect(actions)
            return await settle(actions)
        case .refused(let refusal):
            let isEnd = actions.allSatisfy { $0 is CXEndCallAction }
            // The system ends a call whatever the answer is.
            for action in actions { if isEnd { action.fulfill() } else { fail(action, refusal) } }
            return isEnd
        case .other:
            for action in actions where await !performAlone(action) { return false }
            return true
        }
    }

    private func fail(_ action: CXCallAction, _ refusal: ServiceRefusal) {
        let isPassing = refusal == .dialing || refusal == .callWaits
        action.fail(as: isPassing ? .busy : .unsupported, refusal.text)
    }

    private func perform(_ service: SupplementaryService, _ actions: [CXCallAction]) async -> Bool {
        servicesUnderWay += 1
        expect(actions)
        do throws(ModemFailure) {
            try await ask(service)
            let isSettled = await settle(actions)
            servicesUnderWay -= 1
            reconcile()
            return isSettled
        } catch {
            servicesUnderWay -= 1
            awaited.removeAll { wait in actions.contains { $0 === wait.action } }
            fail(actions.filter { !$0.isComplete }, error)
            // For the system, a call has ended whatever the network says.
            for action in actions where action is CXEndCallAction {
                if let call = name(of: action.callUUID) { forget(call) }
            }
            await modem.refresh()
            reconcile()
            return actions.allSatisfy { $0 is CXEndCallAction }
        }
    }

    /// Asks the modem for a service. While it is hanging up a call, it is not asked to hang up that call again: the second
    /// command would wait in its queue, and end a later call with the same index.
    func ask(_ service: SupplementaryService) async throws(ModemFailure) {
        guard case .hangUp(let call) = service else { return try await modem.perform(service) }
        guard hangUps.insert(call).inserted else { return }
        defer { hangUps.remove(call) }
        try await modem.perform(service)
    }

    private func fail(_ actions: [CXCallAction], _ failure: ModemFailure) {
        for action in actions {
            switch failure {
            case .gone: action.fail(as: .unreachable, "the modem does not answer")
            case .notReached: action.fail(as: .unreachable)
            case .refused(let text): action.fail(text)
            }
        }
        if failure == .gone { modemIsLost() }
    }

    /// From now on, each action is fulfilled when its call is where it shall be. The modem may report that before it answers.
    private func expect(_ actions: [CXCallAction]) {
        for action in actions {
            let partner = (action as? CXSetGroupCallAction)?.callUUIDToGroupWith.flatMap { name(of: $0) }
            if let call = name(of: action.callUUID), let wait = AwaitedPhase(action, call, partner: partner) {
                awaited.append(wait)
            } else {
                action.fulfill()
            }
        }
    }

    /// Waits until all calls are where the actions want them. Returns false if one has not come there in time.
    private func settle(_ actions: [CXCallAction]) async -> Bool {
        let mine = Set(actions.map(\.uuid))
        let end = MonotonicTime.now.advanced(byMilliseconds: Self.patience)
        reconcile()
        while awaited.contains(where: { mine.contains($0.action.uuid) }) {
            if MonotonicTime.now >= end {
                let late = awaited.filter { mine.contains($0.action.uuid) }
                awaited.removeAll { mine.contains($0.action.uuid) }
                for wait in late where wait.goal == nil { forget(wait.call) }
                for wait in late { wait.action.fail(as: .unreachable, "the network did not do it in time") }
                return false
            }
            await nextChange(withinMilliseconds: 1_000)
        }
        return true
    }

    /// Returns when the list of calls has changed, or was read again because it did not.
    private func nextChange(withinMilliseconds milliseconds: Int) async {
        var timer: LoopTimer?
        let hasChanged = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            var isResumed = false
            let resume: @LoopActor (Bool) -> Void = { value in
                if isResumed { return }
                isResumed = true
                continuation.resume(returning: value)
            }
            timer = LoopTimer(afterMilliseconds: milliseconds) { resume(false) }
            onReconciled.append { resume(true) }
        }
        timer?.cancel()
        if !hasChanged {
            await modem.refresh()
            reconcile()
        }
    }
}
