// MobileActions: performs the system's actions with the services of a modem.

import EventLoop
import OpenCallKit

/// The actions of one modem's calls that are under way. It notes in the calls of its owner what it has done with them.
@LoopActor
final class MobileActions {
    private unowned let owner: MobileProvider
    private let modem: any VoiceModem
    private var awaited: [AwaitedPhase] = []
    private var servicesUnderWay = 0
    /// Starts that the network has not accepted, and the names of their calls once they have one.
    private var starts: [UUID: String?] = [:]
    /// Starts that were ended before they had a name.
    private var cancelledStarts: [UUID: [CXCallAction]] = [:]
    /// Starts of emergency calls that were fulfilled although the modem is still busy with something else.
    private var patientStarts: Set<UUID> = []
    /// Calls that the modem is hanging up.
    private var hangUps: Set<String> = []
    private var onReconciled: [@LoopActor () -> Void] = []

    /// How long an action waits until its call is where it shall be. The system waits for five seconds.
    private static let settlingTimeout = Duration.seconds(4)

    init(of owner: MobileProvider) {
        self.owner = owner
        modem = owner.modem
    }

    // MARK: what its owner asks

    /// Whether a service is being performed. Changes of hold are not reported then: they may be half of one.
    var isPerforming: Bool { servicesUnderWay > 0 }
    /// Whether a call is being dialed that the network has not accepted.
    var isStarting: Bool { !starts.isEmpty }
    /// Whether an action waits until its call is where it shall be.
    var isWaiting: Bool { !awaited.isEmpty }

    func isAwaited(_ call: String) -> Bool { awaited.contains { $0.call == call } }

    /// Nothing is awaited any more, since the system has forgotten all calls.
    func reset() { awaited = [] }

    /// Settles the actions of a call that has ended. Returns whether one of them was to end it.
    func ended(_ call: String) -> Bool {
        let mine = awaited.filter { $0.call == call }
        awaited.removeAll { $0.call == call }
        for wait in mine {
            if wait.goal == nil { wait.action.fulfill() } else { wait.action.fail(as: .unreachable) }
        }
        return mine.contains { $0.goal == nil }
    }

    /// The system has been told what has changed.
    func reconciled() {
        let waiting = onReconciled
        onReconciled = []
        for resume in waiting { resume() }
    }

    private func name(of uuid: UUID) -> String? {
        owner.told.first { $0.value.uuid == uuid }?.key ?? starts[uuid].flatMap { $0 }
    }

    // MARK: transactions

    /// Performs a transaction, step by step. A step that fails ends it.
    func execute(_ actions: [CXAction]) {
        // The task keeps the owner, also when the modem is unplugged meanwhile.
        Task { @LoopActor [owner] in
            let calls = actions.compactMap { $0 as? CXCallAction }
            for action in actions where !(action is CXCallAction) { action.fail(as: .unsupported) }
            if !calls.allSatisfy({ $0 is CXEndCallAction }) { await turn() }
            let plan = ServicePlan(calls.map(modemAction), among: owner.network.calls)
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
        let end = MonotonicTime.now.advanced(by: Self.settlingTimeout)
        while servicesUnderWay > 0, MonotonicTime.now < end { await nextChange(within: .seconds(1)) }
    }

    /// The system does not have the call any more; the network is asked to end it until it does.
    private func forget(_ call: String) {
        owner.told[call]?.stage = .refused
        owner.told[call]?.mustEnd = true
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
            if let phase = modem.calls[call]?.phase { owner.told[call]?.isHeld = phase != .held }
        case is CXAnswerCallAction: Task { @LoopActor [owner] in await owner.refuse(call) }
        default: break
        }
        owner.reconcile()
    }

    private func modemAction(_ action: CXCallAction) -> ModemAction {
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
            owner.reconcile()
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
            owner.reconcile()
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
        if failure == .gone { owner.modemIsLost() }
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
        let end = MonotonicTime.now.advanced(by: Self.settlingTimeout)
        owner.reconcile()
        while awaited.contains(where: { mine.contains($0.action.uuid) }) {
            if MonotonicTime.now >= end {
                let late = awaited.filter { mine.contains($0.action.uuid) }
                awaited.removeAll { mine.contains($0.action.uuid) }
                for wait in late where wait.goal == nil { forget(wait.call) }
                for wait in late { wait.action.fail(as: .unreachable, "the network did not do it in time") }
                return false
            }
            await nextChange(within: .seconds(1))
        }
        return true
    }

    /// Returns when the list of calls has changed, or was read again because it did not.
    private func nextChange(within limit: Duration) async {
        var timer: LoopTimer?
        let hasChanged = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            var isResumed = false
            let resume: @LoopActor (Bool) -> Void = { value in
                if isResumed { return }
                isResumed = true
                continuation.resume(returning: value)
            }
            timer = LoopTimer(after: limit) { resume(false) }
            onReconciled.append { resume(true) }
        }
        timer?.cancel()
        if !hasChanged {
            await modem.refresh()
            owner.reconcile()
        }
    }

    // MARK: actions whose calls are where they shall be

    /// Fulfils the actions whose calls are where they shall be.
    func fulfil(_ network: BelievableCalls) {
        for wait in awaited where wait.isReached(in: network) {
            owner.told[wait.call]?.isHeld = wait.goal == .held
            if wait.goal == .active { owner.told[wait.call]?.stage = .connected }
            if wait.action is CXSetGroupCallAction { adjustGroup(wait, network) }
            wait.action.fulfill()
        }
        awaited.removeAll { $0.isReached(in: network) || $0.action.isComplete }
    }

    /// The system takes all members of a group that it makes to be heard, and the rest of one that a call leaves to be held.
    private func adjustGroup(_ wait: AwaitedPhase, _ network: BelievableCalls) {
        let isJoining = wait.partner != nil
        for member in network.calls where member.isConnected && owner.told[member.id]?.stage == .connected {
            owner.told[member.id]?.isHeld = !isJoining && member.id != wait.call
            owner.told[member.id]?.isGrouped = isJoining
        }
    }

    // MARK: starts, tones, mute, and the end of a call that has not begun

    /// Performs one action. Returns false if it failed.
    private func performAlone(_ action: CXCallAction) async -> Bool {
        switch action {
        case let action as CXStartCallAction: return await start(action)
        case is CXEndCallAction: return await cancel(action)
        case let action as CXPlayDTMFCallAction:
            guard let call = name(of: action.callUUID) else { break }
            let (digits, rest) = PhoneDigits.untilPause(action.digits)
            return await attempt(action) { () async throws(ModemFailure) in
                try await self.modem.sendTones(digits, to: call)
                // Nobody waits for what comes after a pause. It is not sent to a call that has ended.
                if !rest.isEmpty { Task { @LoopActor in try? await self.modem.sendTones(rest, to: call) } }
            }
        case let action as CXSetMutedCallAction:
            return await attempt(action) { () async throws(ModemFailure) in
                try await self.modem.setMuted(action.isMuted)
            }
        default: break
        }
        action.fail(as: .unsupported)
        return false
    }

    private func attempt(
        _ action: CXCallAction, _ work: @LoopActor () async throws(ModemFailure) -> Void
    ) async -> Bool {
        do throws(ModemFailure) {
            try await work()
            action.fulfill()
            return true
        } catch {
            switch error {
            case .refused(let text): action.fail(as: .unsupported, text)
            case .notReached: action.fail(as: .unreachable)
            case .gone:
                action.fail(as: .unreachable, "the modem does not answer")
                owner.modemIsLost()
            }
            return false
        }
    }

    private func start(_ action: CXStartCallAction) async -> Bool {
        let (uuid, number) = (action.callUUID, action.handle.value)
        starts[uuid] = .some(nil)
        let patience = patience(for: action)
        defer {
            patience?.cancel()
            patientStarts.remove(uuid)
            starts[uuid] = nil
            for end in cancelledStarts.removeValue(forKey: uuid) ?? [] { end.fulfill() }
            owner.reconcile()
        }
        do throws(ModemFailure) {
            guard let digits = PhoneDigits.dialable(number) else {
                throw .refused("the number has signs that a mobile network cannot dial, or is a service code")
            }
            if PhoneDigits.areObeyedInCall(digits), !modem.calls.isEmpty, !owner.isEmergency(digits) {
                throw .refused(
                    "during a call, a mobile network obeys numbers of one and two digits instead of calling them")
            }
            try await modem.dial(digits, hidesNumber: action.hidesNumber) { [weak self] call in self?.begun(uuid, call)
            }
            guard let call = starts[uuid].flatMap({ $0 }) else {
                action.fail(as: .unreachable)
                return false
            }
            owner.told[call] = ToldCall(
                uuid: uuid, isOutgoing: true, isEmergency: owner.isEmergency(number), stage: .dialing, hasNumber: true)
            if cancelledStarts[uuid] != nil || (action.isComplete && !patientStarts.contains(uuid)) {
                // It was ended while it was being dialed.
                action.fail()
                Task { @LoopActor [owner] in await owner.refuse(call) }
                return false
            }
            action.fulfill()
            let update = CXCallUpdate()
            update.progress = .trying
            owner.provider.reportCall(with: uuid, updated: update)
            return true
        } catch {
            switch error {
            case .gone: owner.modemIsLost()
            case .notReached(let cause):
                let end = ReportedEnd(isOutgoing: true, wasConnected: false, cause: cause)
                let details = CXCallEndedDetails(reason: end.detail)
                owner.provider.reportCall(with: uuid, endedAt: nil, reason: end.reason, details: details)
            case .refused:
                if patientStarts.contains(uuid) { owner.provider.reportCall(with: uuid, endedAt: nil, reason: .failed) }
            }
            if case .refused(let text) = error { action.fail(text) } else { action.fail(as: .unreachable) }
            return false
        }
    }

    /// A service code keeps some modems from everything else for seconds, and nothing can take it back. Where nobody else
    /// reaches the emergency services, the call waits for its modem instead of failing.
    private func patience(for action: CXStartCallAction) -> LoopTimer? {
        let time = action.timeoutDate.timeIntervalSinceNow
        guard owner.isEmergency(action.handle.value), owner.serviceCodes.isUnderWay, time > Self.urgentTime else {
            return nil
        }
        return LoopTimer(after: .seconds(time - 0.5)) { [weak self] in
            guard let self, !action.isComplete, cancelledStarts[action.callUUID] == nil else { return }
            patientStarts.insert(action.callUUID)
            action.fulfill()
        }
    }

    /// The seconds that a start has at most if there is another provider that can take the emergency call.
    private static let urgentTime = 2.0

    /// The call has a name. If it was ended meanwhile, it is hung up.
    private func begun(_ uuid: UUID, _ call: String) {
        starts[uuid] = .some(call)
        if cancelledStarts[uuid] != nil { Task { @LoopActor in try? await ask(.hangUp(call)) } }
    }

    /// Ends a call whose start is under way.
    private func cancel(_ action: CXCallAction) async -> Bool {
        let uuid = action.callUUID
        guard starts[uuid] != nil else {
            action.fulfill()
            return true
        }
        cancelledStarts[uuid, default: []].append(action)
        if let call = starts[uuid].flatMap({ $0 }) { Task { @LoopActor in try? await ask(.hangUp(call)) } }
        return true
    }
}
