// MonkeyCallDelegate: performs MonkeyCall's actions.

import OpenCallKit

/// Connects MonkeyCall's calls with the system.
@MainActor
final class MonkeyCallDelegate {
    let callManager: ActiveCallManager
    let provider: CXProvider
    /// The kinds of action whose next action is refused.
    var failing: Set<String> = []

    /// - Parameters:
    ///   - name: what the provider is called.
    ///   - key: what distinguishes it from MonkeyCall's other providers; nil for the first.
    init(callManager: ActiveCallManager, name: String = "MonkeyCall", key: String? = nil) {
        self.callManager = callManager
        let configuration = CXProviderConfiguration(localizedName: name)
        configuration.key = key
        configuration.maximumCallsPerCallGroup = 1
        // The guides declare phone numbers only, but start and report calls with generic handles. So generic handles
        // are declared here as well.
        configuration.supportedHandleTypes = [.phoneNumber, .generic]
        configuration.iconTemplateImageData = PluginMain.resource(named: "telephone_receiver.png")
        configuration.ringtoneSound = "musicloop01.wav"
        configuration.customActions = FarEnd.buttons
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
    }

    func reportIncomingCall(
        uuid: UUID, handle: CXHandle, name: String?, hasVideo: Bool, completion: @escaping ((any Error)?) -> Void
    ) {
        let update = CXCallUpdate()
        update.remoteHandle = handle
        update.localizedCallerName = name
        update.hasVideo = hasVideo
        provider.reportNewIncomingCall(with: uuid, update: update) { [callManager] error in
            if error == nil {
                callManager.calls.append(ActiveCall(uuid: uuid, handle: handle.value, isOutgoing: false))
            }
            completion(error)
        }
    }

    /// Returns the call of an action. Fails the action and returns nil if the call is unknown, or if a failure is
    /// simulated.
    private func call(for action: CXCallAction, _ kind: String) -> ActiveCall? {
        guard failing.remove(kind) == nil, let call = callManager.findCall(action.callUUID) else {
            action.fail()
            return nil
        }
        return call
    }
}

extension MonkeyCallDelegate: @MainActor CXProviderDelegate {
    func providerDidReset(_ provider: CXProvider) {
        callManager.calls.removeAll()
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        guard failing.remove("start") == nil else {
            action.fail()
            return
        }
        let call = ActiveCall(uuid: action.callUUID, handle: action.handle.value, isOutgoing: true)
        call.startingConnectionChanged = { call in
            guard call.isConnecting else { return }
            provider.reportOutgoingCall(with: call.uuid, startedConnectingAt: call.startedConnectingOn)
        }
        call.connectedChanged = { call in
            guard call.isConnected else { return }
            provider.reportOutgoingCall(with: call.uuid, connectedAt: call.connectedOn)
        }
        call.start { successful in
            if successful {
                action.fulfill()
                callManager.calls.append(call)
            } else {
                action.fail()
            }
        }
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        call(for: action, "answer")?.answer { $0 ? action.fulfill() : action.fail() }
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        guard let call = call(for: action, "end") else {
            // The system ends the call whatever the answer.
            callManager.calls.removeAll { $0.uuid == action.callUUID }
            return
        }
        call.end { successful in
            callManager.calls.removeAll { $0 === call }
            if successful { action.fulfill() } else { action.fail() }
        }
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        guard let call = call(for: action, "set-held") else { return }
        call.isOnHold = action.isOnHold
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        if call(for: action, "set-muted") != nil { action.fulfill() }
    }

    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        if call(for: action, "play-dtmf") != nil { action.fulfill() }
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        print("MonkeyCall: timed out: \(type(of: action))")
    }

    func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        FarEnd(self).perform(action)
    }
}
