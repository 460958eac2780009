// The delegate of the seed's app.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
#else
    import Foundation
    import OpenCallKit
#endif

public class SeedProviderDelegate: NSObject {
    fileprivate let callManager: SeedCallManager
    fileprivate let provider: CXProvider
    public private(set) var audioIsRunning = false

    public init(callManager: SeedCallManager) {
        self.callManager = callManager
        provider = CXProvider(configuration: type(of: self).providerConfiguration)
        super.init()
        provider.setDelegate(self, queue: nil)
    }

    static var providerConfiguration: CXProviderConfiguration {
        let providerConfiguration = CXProviderConfiguration(localizedName: "Seed")
        providerConfiguration.supportsVideo = true
        providerConfiguration.maximumCallsPerCallGroup = 1
        providerConfiguration.supportedHandleTypes = [.phoneNumber]
        providerConfiguration.ringtoneSound = "Ringtone.caf"
        return providerConfiguration
    }

    public func reportIncomingCall(
        uuid: UUID, handle: String, hasVideo: Bool = false, completion: ((Error?) -> Void)?
    ) {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .phoneNumber, value: handle)
        update.hasVideo = hasVideo
        provider.reportNewIncomingCall(with: uuid, update: update) { error in
            if error == nil {
                let call = SeedCall(uuid: uuid, handle: handle)
                self.callManager.add(call: call)
            }
            completion?(error)
        }
    }

    func configureAudioSession() {
        let session = AVAudioSession.sharedInstance()
        do {
            try session.setCategory(.playAndRecord, mode: .voiceChat, options: [])
            try session.setPreferredSampleRate(16_000)
        } catch {
            print(error)
        }
    }
}

extension SeedProviderDelegate: CXProviderDelegate {
    public func providerDidReset(_ provider: CXProvider) {
        audioIsRunning = false
        for call in callManager.calls { call.end() }
        callManager.removeAllCalls()
    }

    public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        configureAudioSession()
        call.answer()
        action.fulfill(withDateConnected: Date())
    }

    public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { audioIsRunning = true }
    public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { audioIsRunning = false }

    public func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        call.end()
        action.fulfill()
        callManager.remove(call: call)
    }

    public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        call.state = action.isOnHold ? .held : .active
        action.fulfill()
    }

    public func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        let call = SeedCall(uuid: action.callUUID, outgoing: true, handle: action.handle.value)
        configureAudioSession()
        call.connectedStateChanged = { [weak self, weak call] in
            guard let self = self, let call = call else { return }
            if call.connectedState == .pending {
                self.provider.reportOutgoingCall(with: call.uuid, startedConnectingAt: nil)
            } else if call.connectedState == .complete {
                self.provider.reportOutgoingCall(with: call.uuid, connectedAt: nil)
            }
        }
        call.start { [weak self, weak call] success in
            guard let self = self, let call = call else { return }
            if success {
                action.fulfill()
                self.callManager.add(call: call)
            } else {
                action.fail()
            }
        }
    }

    public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        print("timed out: \(action.uuid)")
    }
}

extension SeedProviderDelegate {
    public func invalidate() { provider.invalidate() }
}
