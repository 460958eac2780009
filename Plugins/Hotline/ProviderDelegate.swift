// ProviderDelegate: performs Hotline's actions.

import OpenCallKit

@MainActor
final class ProviderDelegate {
    let callManager: CallManager
    let provider: CXProvider
    /// The kinds of action whose next action fails, as set by `simulate-failure`.
    var orderedFailures: Set<String> = []

    static var providerConfiguration: CXProviderConfiguration {
        let configuration = CXProviderConfiguration(localizedName: "Hotline")
        configuration.supportsVideo = true
        configuration.supportsAudioTranslation = true
        configuration.supportsTransfer = true
        configuration.supportedHandleTypes = [.phoneNumber, .emailAddress]
        configuration.ringtoneSound = "Ringtone.wav"
        configuration.iconTemplateImageData = PluginMain.resource(named: "IconMask.png")
        configuration.customActions = Simulation.allCases.map(\.button)
        return configuration
    }

    init(callManager: CallManager) {
        self.callManager = callManager
        provider = CXProvider(configuration: Self.providerConfiguration)
        provider.setDelegate(self, queue: nil)
    }

    func reportIncomingCall(
        uuid: UUID, handle: CXHandle, name: String? = nil, hasVideo: Bool = false,
        completion: @escaping ((any Error)?) -> Void
    ) {
        let update = CXCallUpdate()
        update.remoteHandle = handle
        update.hasVideo = hasVideo
        update.localizedCallerName = name
        provider.reportNewIncomingCall(with: uuid, update: update) { [callManager] error in
            if error == nil { callManager.add(call: HotlineCall(uuid: uuid, handle: handle.value)) }
            completion(error)
        }
    }

    /// Reports a call that is connected already. The system may ask for its hold before it answers the report.
    func reportOngoingCall(uuid: UUID, handle: CXHandle, name: String?) async throws {
        let update = CXCallUpdate()
        update.remoteHandle = handle
        update.localizedCallerName = name
        let call = HotlineCall(uuid: uuid, outgoing: true, handle: handle.value)
        call.state = .active
        callManager.add(call: call)
        do {
            try await provider.reportOngoingCall(with: uuid, isOutgoing: true, connectedAt: nil, update: update)
        } catch {
            callManager.remove(call: call)
            throw error
        }
    }

    private func refuses(_ kind: String, _ action: CXAction) -> Bool {
        guard orderedFailures.remove(kind) != nil else { return false }
        action.fail()
        return true
    }
}

extension ProviderDelegate: @MainActor CXProviderDelegate {
    func providerDidReset(_ provider: CXProvider) {
        Audio.stop()
        for call in callManager.calls { call.end() }
        callManager.removeAllCalls()
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        if refuses("start", action) { return }
        let call = HotlineCall(uuid: action.callUUID, outgoing: true, handle: action.handle.value)
        Audio.configureSession()
        call.connectedStateChanged = { [weak self, weak call] in
            guard let self, let call else { return }
            switch call.connectedState {
            case .pending: self.provider.reportOutgoingCall(with: call.uuid, startedConnectingAt: nil)
            case .complete: self.provider.reportOutgoingCall(with: call.uuid, connectedAt: nil)
            }
        }
        call.start { success in
            if success {
                action.fulfill()
                callManager.add(call: call)
            } else {
                action.fail()
            }
        }
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        guard !refuses("answer", action) else { return }
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        Audio.configureSession()
        call.answer()
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        // The call ends in any case; a failure only means that the network was not informed.
        call.end()
        callManager.remove(call: call)
        if !refuses("end", action) { action.fulfill() }
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        guard !refuses("set-held", action) else { return }
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        call.state = action.isOnHold ? .held : .active
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        guard !refuses("set-muted", action) else { return }
        if callManager.callWithUUID(uuid: action.callUUID) != nil { action.fulfill() } else { action.fail() }
    }

    /// There is no speech to translate in a simulated call.
    func provider(_ provider: CXProvider, perform action: CXSetTranslatingCallAction) {
        guard !refuses("set-translating", action) else { return }
        if callManager.callWithUUID(uuid: action.callUUID) != nil {
            action.fulfill(using: .custom)
        } else {
            action.fail()
        }
    }

    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) {
        guard !refuses("set-group", action) else { return }
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        let left = callManager.calls.filter { $0.group != nil && $0.group == call.group && $0 !== call }
        call.group = nil
        call.state = .active
        if let other = action.callUUIDToGroupWith.flatMap(callManager.callWithUUID) {
            let group = other.group ?? other.uuid
            other.group = group
            call.group = group
            for member in callManager.calls where member.group == group { member.state = .active }
        } else {
            for member in left { member.state = .held }
        }
        action.fulfill()
    }

    /// The far sides that are simulated accept every other party.
    func provider(_ provider: CXProvider, perform action: CXTransferCallAction) {
        guard !refuses("transfer", action) else { return }
        let uuids = [action.callUUID] + [action.otherCallUUID].compactMap(\.self)
        let calls = uuids.compactMap(callManager.callWithUUID)
        guard calls.count == uuids.count else {
            action.fail()
            return
        }
        for call in calls {
            call.end()
            callManager.remove(call: call)
        }
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerTransferCallAction) {
        guard !refuses("answer-transfer", action) else { return }
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        action.fulfill()
        guard let handle = action.handle else { return }
        call.handle = handle.value
        let update = CXCallUpdate()
        update.remoteHandle = handle
        provider.reportCall(with: call.uuid, updated: update)
    }

    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        guard !refuses("play-dtmf", action) else { return }
        if callManager.callWithUUID(uuid: action.callUUID) != nil { action.fulfill() } else { action.fail() }
    }

    func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        guard let simulation = Simulation(rawValue: action.identifier) else {
            action.fail("Hotline has no action \(action.identifier)")
            return
        }
        simulation.perform(action, on: self)
    }

    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { Audio.start() }

    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { Audio.stop() }
}
