// The provider's delegate.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
    import UIKit
#else
    import OpenCallKitPort
#endif

final class WalkieProviderDelegate: NSObject, CXProviderDelegate {
    let callManager: WalkieCallManager
    private let provider: CXProvider
    private(set) var audioIsRunning = false

    init(callManager: WalkieCallManager) {
        self.callManager = callManager
        provider = CXProvider(configuration: type(of: self).providerConfiguration)
        super.init()
        provider.setDelegate(self, queue: nil)
    }

    static var providerConfiguration: CXProviderConfiguration {
        let providerConfiguration = CXProviderConfiguration(localizedName: "Walkie")
        providerConfiguration.supportsVideo = true
        providerConfiguration.maximumCallsPerCallGroup = 1
        providerConfiguration.supportedHandleTypes = [.phoneNumber]
        if let iconMaskImage = UIImage(named: "IconMask") {
            providerConfiguration.iconTemplateImageData = iconMaskImage.pngData()
        }
        providerConfiguration.ringtoneSound = "Ringtone.caf"
        return providerConfiguration
    }

    func reportIncomingCall(
        uuid: UUID, handle: String, hasVideo: Bool = false, completion: ((NSError?) -> Void)? = nil
    ) {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .phoneNumber, value: handle)
        update.hasVideo = hasVideo
        provider.reportNewIncomingCall(with: uuid, update: update) { error in
            if error == nil {
                let call = WalkieCall(uuid: uuid)
                call.handle = handle
                self.callManager.addCall(call)
            }
            completion?(error as NSError?)
        }
    }

    func reportRemoteEnd(_ call: WalkieCall) {
        call.end()
        provider.reportCall(with: call.uuid, endedAt: Date(), reason: .remoteEnded)
        callManager.removeCall(call)
    }

    private func configureAudioSession() {
        let audioSession = AVAudioSession.sharedInstance()
        do {
            try audioSession.setCategory(.playAndRecord, options: [.allowBluetooth, .defaultToSpeaker])
            try audioSession.setMode(.voiceChat)
            try audioSession.setPreferredIOBufferDuration(0.005)
            try audioSession.setPreferredSampleRate(44_100)
            try audioSession.overrideOutputAudioPort(.speaker)
        } catch {
            NSLog("could not configure the audio session: %@", "\(error)")
        }
    }

    // MARK: CXProviderDelegate

    func providerDidReset(_ provider: CXProvider) {
        audioIsRunning = false
        for call in callManager.calls { call.end() }
        callManager.removeAllCalls()
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        let call = WalkieCall(uuid: action.callUUID, isOutgoing: true)
        call.handle = action.handle.value
        configureAudioSession()
        call.hasStartedConnectingDidChange = { [weak self, weak call] in
            guard let self = self, let call = call else { return }
            self.provider.reportOutgoingCall(with: call.uuid, startedConnectingAt: call.connectingDate)
        }
        call.hasConnectedDidChange = { [weak self, weak call] in
            guard let self = self, let call = call else { return }
            self.provider.reportOutgoingCall(with: call.uuid, connectedAt: call.connectDate)
        }
        call.start { success in
            if success {
                action.fulfill()
                self.callManager.addCall(call)
            } else {
                action.fail()
            }
        }
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        configureAudioSession()
        call.answer()
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        audioIsRunning = false
        call.end()
        action.fulfill()
        callManager.removeCall(call)
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        call.isOnHold = action.isOnHold
        audioIsRunning = !call.isOnHold
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        call.isMuted = action.isMuted
        action.fulfill()
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        NSLog("timed out: %@", "\(type(of: action))")
    }

    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { audioIsRunning = true }
    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { audioIsRunning = false }
}
