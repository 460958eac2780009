// Actions that need no supplementary service: starts, tones, mute, and the end of a call that has not begun.

import EventLoop
import OpenCallKit

extension MobileLine {
    /// Performs one action. Returns false if it failed.
    func performAlone(_ action: CXCallAction) async -> Bool {
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
                modemIsLost()
            }
            return false
        }
    }

    private func start(_ action: CXStartCallAction) async -> Bool {
        let (uuid, number) = (action.callUUID, action.handle.value)
        starts[uuid] = .some(nil)
        defer {
            starts[uuid] = nil
            for end in cancelledStarts.removeValue(forKey: uuid) ?? [] { end.fulfill() }
            reconcile()
        }
        do throws(ModemFailure) {
            try await modem.dial(number) { [weak self] call in self?.begun(uuid, call) }
            guard let call = starts[uuid].flatMap({ $0 }) else {
                action.fail(as: .unreachable)
                return false
            }
            told[call] = ToldCall(
                uuid: uuid, isOutgoing: true, isEmergency: isEmergency(number), stage: .dialing, hasNumber: true)
            if cancelledStarts[uuid] != nil || action.isComplete {
                // It was ended while it was being dialed.
                action.fail()
                Task { @LoopActor in await refuse(call) }
                return false
            }
            action.fulfill()
            let update = CXCallUpdate()
            update.progress = .trying
            provider.reportCall(with: uuid, updated: update)
            return true
        } catch {
            switch error {
            case .gone: modemIsLost()
            case .notReached(let cause):
                let end = ReportedEnd(isOutgoing: true, wasConnected: false, cause: cause)
                let details = CXCallEndedDetails(reason: end.detail)
                try? await provider.report(.ended(nil, end.reason, details), for: uuid)
            case .refused: break
            }
            if case .refused(let text) = error { action.fail(text) } else { action.fail(as: .unreachable) }
            return false
        }
    }

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
