// The provider's delegate: maps UUIDs to the core's call ids, and actions to the core.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
    import UIKit
    import os
#else
    import OpenCallKitPort
#endif

class SoftphoneCallInfo {
    var callId: String
    var toAddr: String?
    var isOutgoing = false
    var connected = false
    var reason = SoftphoneReason.none
    var displayName: String

    init(callId: String, displayName: String) {
        self.callId = callId
        self.displayName = displayName
    }

    static func newIncomingCallInfo(callId: String, displayName: String) -> SoftphoneCallInfo {
        SoftphoneCallInfo(callId: callId, displayName: displayName)
    }

    static func newOutgoingCallInfo(addr: String) -> SoftphoneCallInfo {
        let info = SoftphoneCallInfo(callId: "", displayName: addr)
        info.isOutgoing = true
        info.toAddr = addr
        return info
    }
}

enum SoftphoneReason { case none, declined, busy }

final class SoftphoneProviderDelegate: NSObject {
    let provider: CXProvider
    var uuids: [String: UUID] = [:]
    var callInfos: [UUID: SoftphoneCallInfo] = [:]
    private let log = Logger(subsystem: "com.example.softphone", category: "CallKit")

    override init() {
        provider = CXProvider(configuration: SoftphoneProviderDelegate.providerConfiguration)
        super.init()
        provider.setDelegate(self, queue: nil)
    }

    static var providerConfiguration: CXProviderConfiguration {
        let configuration = CXProviderConfiguration(localizedName: "Softphone")
        configuration.ringtoneSound = "notes_of_the_optimistic.caf"
        configuration.supportsVideo = true
        configuration.iconTemplateImageData = UIImage(named: "callkit_logo")?.pngData()
        configuration.supportedHandleTypes = [.generic, .phoneNumber, .emailAddress]
        configuration.maximumCallsPerCallGroup = 10
        configuration.maximumCallGroups = 10
        configuration.includesCallsInRecents = true
        return configuration
    }

    func reportIncomingCall(uuid: UUID, handle: String, hasVideo: Bool, displayName: String) {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: handle)
        update.hasVideo = hasVideo
        update.localizedCallerName = displayName
        update.supportsDTMF = true
        update.supportsHolding = true
        update.supportsGrouping = true
        update.supportsUngrouping = true
        let callId = callInfos[uuid]?.callId ?? ""
        log.info("CallKit: report new incoming call with call-id: [\(callId)] and UUID: [\(uuid.description)]")
        provider.reportNewIncomingCall(with: uuid, update: update) { error in
            guard let error = error else { return }
            self.log.error("CallKit: cannot complete incoming call: \(error.localizedDescription, privacy: .public)")
            switch (error as? CXErrorCodeIncomingCallError)?.code {
            case .filteredByDoNotDisturb: self.callInfos[uuid]?.reason = .busy
            case .filteredByBlockList: self.callInfos[uuid]?.reason = .declined
            default: break
            }
            SoftphoneCallManager.shared.decline(uuid)
        }
    }

    func updateCall(uuid: UUID, handle: String, hasVideo: Bool, displayName: String) {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: handle)
        update.localizedCallerName = displayName
        update.hasVideo = hasVideo
        provider.reportCall(with: uuid, updated: update)
    }

    func reportOutgoingCallStartedConnecting(uuid: UUID) {
        provider.reportOutgoingCall(with: uuid, startedConnectingAt: nil)
    }
    func reportOutgoingCallConnected(uuid: UUID) { provider.reportOutgoingCall(with: uuid, connectedAt: nil) }

    func endCall(uuid: UUID) {
        provider.reportCall(with: uuid, endedAt: .init(), reason: .remoteEnded)
        forget(uuid)
    }

    func forget(_ uuid: UUID) {
        if let callId = callInfos[uuid]?.callId { uuids.removeValue(forKey: callId) }
        callInfos.removeValue(forKey: uuid)
    }
}

extension SoftphoneProviderDelegate: CXProviderDelegate {
    private var manager: SoftphoneCallManager { SoftphoneCallManager.shared }

    private func call(of action: CXCallAction) -> SoftphoneCoreCall? {
        guard let callId = callInfos[action.callUUID]?.callId else { return nil }
        return manager.core.getCallByCallid(callId: callId)
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        let call = self.call(of: action)
        forget(action.callUUID)
        action.fulfill()
        if let call = call { manager.core.terminate(call) }
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        guard let call = self.call(of: action) else { return action.fail() }
        manager.core.configureAudioSession()
        callInfos[action.callUUID]?.connected = true
        manager.core.accept(call)
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        guard let call = self.call(of: action) else { return action.fail() }
        if action.isOnHold { manager.core.pause(call) } else { manager.core.resume(call) }
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        let info = callInfos[action.callUUID] ?? .newOutgoingCallInfo(addr: action.handle.value)
        info.callId = "out-\(action.callUUID.uuidString)"
        callInfos[action.callUUID] = info
        uuids[info.callId] = action.callUUID
        manager.core.configureAudioSession()
        action.fulfill()
        _ = manager.core.invite(info.toAddr ?? action.handle.value, callId: info.callId)
    }

    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) {
        manager.core.addAllToConference()
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        guard let call = self.call(of: action) else { return action.fail() }
        call.microphoneMuted = action.isMuted
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        guard let call = self.call(of: action) else { return action.fail() }
        manager.core.sendDtmfs(call, action.digits)
        action.fulfill()
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) { action.fulfill() }

    func providerDidReset(_ provider: CXProvider) {
        for call in manager.core.calls { manager.core.terminate(call) }
        uuids = [:]
        callInfos = [:]
    }

    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {
        manager.core.activateAudioSession(activated: true)
    }

    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
        manager.core.activateAudioSession(activated: false)
    }
}
