// The singleton between the core and CallKit.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
#else
    import OpenCallKitPort
#endif

final class SoftphoneCallManager: NSObject, SoftphoneCoreDelegate {
    static var shared = SoftphoneCallManager()

    let core = SoftphoneCore()
    let providerDelegate = SoftphoneProviderDelegate()
    let callController = CXCallController()
    private var interruption: NSObjectProtocol?
    private(set) var speakerEnabled = false

    override init() {
        super.init()
        core.delegate = self
        interruption = NotificationCenter.default.addObserver(
            forName: AVAudioSession.interruptionNotification, object: nil, queue: nil
        ) { [weak self] notification in
            guard let value = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt,
                AVAudioSession.InterruptionType(rawValue: value) == .began
            else { return }
            self?.core.activateAudioSession(activated: false)
        }
    }

    func startCall(addr: String) {
        let uuid = UUID()
        providerDelegate.callInfos[uuid] = SoftphoneCallInfo.newOutgoingCallInfo(addr: addr)
        let startCallAction = CXStartCallAction(call: uuid, handle: CXHandle(type: .generic, value: addr))
        requestTransaction(CXTransaction(action: startCallAction), action: "startCall")
    }

    func acceptCall(callId: String) {
        guard let uuid = providerDelegate.uuids[callId] else { return }
        requestTransaction(CXTransaction(action: CXAnswerCallAction(call: uuid)), action: "answerCall")
    }

    func terminateCall(callId: String) {
        guard let uuid = providerDelegate.uuids[callId] else { return }
        requestTransaction(CXTransaction(action: CXEndCallAction(call: uuid)), action: "endCall")
    }

    func setHeld(callId: String, hold: Bool) {
        guard let uuid = providerDelegate.uuids[callId] else { return }
        requestTransaction(CXTransaction(action: CXSetHeldCallAction(call: uuid, onHold: hold)), action: "setHeld")
    }

    func groupCall() {
        let uuids = Array(providerDelegate.callInfos.keys)
        guard uuids.count > 1 else { return }
        let transaction = CXTransaction()
        for uuid in uuids.dropFirst() {
            transaction.addAction(CXSetGroupCallAction(call: uuid, callUUIDToGroupWith: uuids[0]))
        }
        requestTransaction(transaction, action: "groupCall")
    }

    func toggleSpeaker() {
        let session = AVAudioSession.sharedInstance()
        do {
            try session.overrideOutputAudioPort(speakerEnabled ? .none : .speaker)
            speakerEnabled = session.currentRoute.outputs.contains { $0.portType == .builtInSpeaker }
        } catch {
            print("could not change the route: \(error)")
        }
    }

    func decline(_ uuid: UUID) {
        guard let info = providerDelegate.callInfos[uuid], let call = core.getCallByCallid(callId: info.callId) else {
            return
        }
        providerDelegate.forget(uuid)
        core.terminate(call)
    }

    private func requestTransaction(_ transaction: CXTransaction, action: String) {
        callController.request(transaction) { error in
            if let error = error { print("CallKit: requested transaction \(action) failed: \(error)") }
        }
    }

    func onCallStateChanged(core: SoftphoneCore, call: SoftphoneCoreCall, state: SoftphoneCallState) {
        switch state {
        case .incomingReceived:
            let uuid = UUID()
            providerDelegate.uuids[call.callId] = uuid
            providerDelegate.callInfos[uuid] = .newIncomingCallInfo(
                callId: call.callId, displayName: call.remoteAddress)
            providerDelegate.reportIncomingCall(
                uuid: uuid, handle: call.remoteAddress, hasVideo: false, displayName: call.remoteAddress)
        case .outgoingProgress:
            if let uuid = providerDelegate.uuids[call.callId] {
                providerDelegate.reportOutgoingCallStartedConnecting(uuid: uuid)
            }
        case .connected:
            if call.isOutgoing, let uuid = providerDelegate.uuids[call.callId] {
                providerDelegate.callInfos[uuid]?.connected = true
                providerDelegate.reportOutgoingCallConnected(uuid: uuid)
            }
        case .end, .error:
            if let uuid = providerDelegate.uuids[call.callId] { providerDelegate.endCall(uuid: uuid) }
        case .streamsRunning, .paused, .released: break
        }
    }
}
