// The provider's delegate, which passes everything on to the listeners.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
#else
    import OpenCallKitPort
#endif

final class MeetingCallKitEmitter: NSObject, CXProviderDelegate {
    private var listeners = Set<MeetingListenerWrapper>()
    private var pendingMuteActions = Set<UUID>()

    func addListener(_ listener: MeetingCallKitListener) {
        listeners.insert(MeetingListenerWrapper(listener: listener))
    }
    func removeListener(_ listener: MeetingCallKitListener) {
        listeners.remove(MeetingListenerWrapper(listener: listener))
    }

    /// The app's own requests to mute are not passed on.
    func addMuteAction(_ actionUUID: UUID) { pendingMuteActions.insert(actionUUID) }

    private func forEach(_ tell: (MeetingCallKitListener) -> Void) {
        listeners.forEach { wrapper in if let listener = wrapper.listener { tell(listener) } }
    }

    func providerDidReset(_ provider: CXProvider) {
        forEach { $0.providerDidReset() }
        pendingMuteActions.removeAll()
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        forEach { $0.performAnswerCall(UUID: action.callUUID) }
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        forEach { $0.performEndCall(UUID: action.callUUID) }
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        let uuid = pendingMuteActions.remove(action.uuid)
        if uuid == nil { forEach { $0.performSetMutedCall(UUID: action.callUUID, isMuted: action.isMuted) } }
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        forEach { $0.performStartCall(UUID: action.callUUID, isVideo: action.isVideo) }
        action.fulfill()
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        forEach { $0.providerTimedOutPerformingAction(action: action) }
    }

    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {
        forEach { $0.providerDidActivateAudioSession(session: audioSession) }
    }

    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
        forEach { $0.providerDidDeactivateAudioSession(session: audioSession) }
    }
}
