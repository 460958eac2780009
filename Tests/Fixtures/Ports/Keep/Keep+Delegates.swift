// What CallKit tells the module, as events.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
#else
    import OpenCallKitPort
#endif

extension Keep: CXCallObserverDelegate {
    func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall) {
        sendEvent(
            "didChangeCall",
            ["callUUID": call.uuid.uuidString, "hasConnected": call.hasConnected, "hasEnded": call.hasEnded])
    }
}

extension Keep: CXProviderDelegate {
    func providerDidReset(_ provider: CXProvider) { sendEvent("didResetProvider", [:]) }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        configureAudioSession()
        sendEvent(
            "didReceiveStartCallAction",
            ["callUUID": action.callUUID.uuidString, "handle": action.handle.value, "video": action.isVideo])
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        configureAudioSession()
        sendEvent("performAnswerCallAction", ["callUUID": action.callUUID.uuidString])
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        sendEvent("performEndCallAction", ["callUUID": action.callUUID.uuidString])
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        sendEvent(
            "didToggleHoldAction", ["hold": action.isOnHold, "callUUID": action.callUUID.uuidString])
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        sendEvent("didPerformDTMFAction", ["digits": action.digits, "callUUID": action.callUUID.uuidString])
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        sendEvent(
            "didPerformSetMutedCallAction", ["muted": action.isMuted, "callUUID": action.callUUID.uuidString])
        action.fulfill()
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}

    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {
        // Frameworks with their own audio unit wait for the end of an interruption, which CallKit does not post.
        let userInfo: [AnyHashable: Any] = [
            AVAudioSessionInterruptionTypeKey: AVAudioSession.InterruptionType.ended.rawValue
        ]
        NotificationCenter.default.post(
            name: AVAudioSession.interruptionNotification, object: nil, userInfo: userInfo)
        configureAudioSession()
        sendEvent("didActivateAudioSession", [:])
    }

    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
        sendEvent("didDeactivateAudioSession", [:])
    }

    private func configureAudioSession() {
        let session = AVAudioSession.sharedInstance()
        try? session.setCategory(.playAndRecord, options: [.allowBluetooth, .allowBluetoothA2DP])
        try? session.setMode(.voiceChat)
        try? session.setPreferredSampleRate(44_100)
        try? session.setPreferredIOBufferDuration(0.005)
        try? session.setActive(true)
    }
}
