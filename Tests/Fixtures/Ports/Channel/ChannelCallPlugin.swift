// The plugin.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
    import PushKit
    import UIKit
    import os
#else
    import OpenCallKitPort
#endif

final class ChannelCallPlugin: NSObject {
    static let actionIncoming = "com.example.callkit.INCOMING"
    static let actionStart = "com.example.callkit.START"
    static let actionAccept = "com.example.callkit.ACCEPT"
    static let actionDecline = "com.example.callkit.DECLINE"
    static let actionEnded = "com.example.callkit.ENDED"
    static let actionTimeout = "com.example.callkit.TIMEOUT"
    static let actionToggleHold = "com.example.callkit.TOGGLE_HOLD"
    static let actionToggleMute = "com.example.callkit.TOGGLE_MUTE"
    static let actionDTMF = "com.example.callkit.DTMF"
    static let actionAudio = "com.example.callkit.TOGGLE_AUDIO_SESSION"

    var eventSink: ChannelEventSink?
    private(set) var calls: [UUID: ChannelCall] = [:]
    private var sharedProvider: CXProvider?
    private let callController = CXCallController()
    private let voipRegistry = PKPushRegistry(queue: .main)
    private let logger = Logger(subsystem: "com.example.channel", category: "plugin")

    override init() {
        super.init()
        voipRegistry.delegate = self
        voipRegistry.desiredPushTypes = [.voIP]
    }

    func handle(_ call: ChannelMethodCall, result: @escaping ChannelResult) {
        let args = call.arguments as? [String: Any?] ?? [:]
        let data = ChannelCallData(args: args)
        let uuid = UUID(uuidString: data.uuid)
        logger.debug("method \(call.method, privacy: .public), id \(data.uuid, privacy: .private(mask: .hash))")
        switch (call.method, uuid) {
        case ("showCallkitIncoming", let uuid?):
            showCallkitIncoming(uuid, data) { error in
                result(error.map { ChannelError(code: "INCOMING", message: $0.localizedDescription) } ?? "OK")
            }
        case ("startCall", let uuid?):
            initCallkitProvider()
            calls[uuid] = ChannelCall(uuid: uuid, data: data, isOutGoing: true)
            let action = CXStartCallAction(call: uuid, handle: CXHandle(type: .generic, value: data.handle))
            action.isVideo = data.isVideo
            request(action, result)
        case ("endCall", let uuid?): request(CXEndCallAction(call: uuid), result)
        case ("holdCall", let uuid?):
            request(CXSetHeldCallAction(call: uuid, onHold: args["isOnHold"] as? Bool ?? false), result)
        case ("muteCall", let uuid?):
            request(CXSetMutedCallAction(call: uuid, muted: args["isMuted"] as? Bool ?? false), result)
        case ("callConnected", let uuid?):
            if calls[uuid]?.isOutGoing == true { sharedProvider?.reportOutgoingCall(with: uuid, connectedAt: nil) }
            result("OK")
        case ("activeCalls", _): result(calls.values.map { $0.data.toJSON() })
        case ("getDevicePushTokenVoIP", _):
            let token = voipRegistry.pushToken(for: .voIP)
            result(token.map { $0.map { String(format: "%02x", $0) }.joined() } ?? "")
        default: result(ChannelError(code: "UNIMPLEMENTED", message: call.method))
        }
    }

    private func request(_ action: CXAction, _ result: @escaping ChannelResult) {
        callController.request(CXTransaction(action: action)) { error in
            result(error.map { ChannelError(code: "REQUEST", message: "\($0)") } ?? "OK")
        }
    }

    private func initCallkitProvider() {
        guard sharedProvider == nil else { return }
        let configuration = CXProviderConfiguration(localizedName: "Channel")
        configuration.supportsVideo = true
        configuration.maximumCallGroups = 2
        configuration.maximumCallsPerCallGroup = 1
        configuration.supportedHandleTypes = [.generic, .emailAddress, .phoneNumber]
        configuration.iconTemplateImageData = UIImage(named: "CallKitLogo")?.pngData()
        sharedProvider = CXProvider(configuration: configuration)
        sharedProvider?.setDelegate(self, queue: nil)
    }

    func showCallkitIncoming(_ uuid: UUID, _ data: ChannelCallData, completion: @escaping (Error?) -> Void) {
        initCallkitProvider()
        let callUpdate = CXCallUpdate()
        callUpdate.remoteHandle = CXHandle(type: .generic, value: data.handle)
        callUpdate.supportsDTMF = data.supportsDTMF
        callUpdate.supportsHolding = data.supportsHolding
        callUpdate.hasVideo = data.isVideo
        callUpdate.localizedCallerName = data.nameCaller
        sharedProvider?.reportNewIncomingCall(with: uuid, update: callUpdate) { error in
            if error == nil {
                self.configureAudioSession()
                self.calls[uuid] = ChannelCall(uuid: uuid, data: data)
                self.sendEvent(ChannelCallPlugin.actionIncoming, data.toJSON())
            }
            completion(error)
        }
    }

    private func configureAudioSession() {
        let session = AVAudioSession.sharedInstance()
        do {
            try session.setCategory(.playAndRecord, options: [.allowBluetooth, .duckOthers])
            try session.setMode(.voiceChat)
            try session.setActive(true)
        } catch {
            logger.error("audio session: \(error)")
        }
    }

    private func sendEvent(_ event: String, _ body: [String: Any]) { eventSink?(["event": event, "body": body]) }
}

extension ChannelCallPlugin: PKPushRegistryDelegate {
    func pushRegistry(_ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType) {
        sendEvent("TOKEN", ["token": credentials.token.map { String(format: "%02x", $0) }.joined()])
    }

    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        let args = Dictionary(
            uniqueKeysWithValues: payload.dictionaryPayload.compactMap { key, value -> (String, Any?)? in
                (key as? String).map { ($0, value) }
            })
        let data = ChannelCallData(args: args)
        guard let uuid = UUID(uuidString: data.uuid) else { return completion() }
        showCallkitIncoming(uuid, data) { _ in completion() }
    }
}

extension ChannelCallPlugin: CXProviderDelegate {
    func providerDidReset(_ provider: CXProvider) { calls.removeAll() }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        guard let call = calls[action.callUUID] else { return action.fail() }
        configureAudioSession()
        sendEvent(ChannelCallPlugin.actionStart, call.data.toJSON())
        action.fulfill()
        sharedProvider?.reportOutgoingCall(with: call.uuid, startedConnectingAt: nil)
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        guard let call = calls[action.callUUID] else { return action.fail() }
        call.hasConnected = true
        sendEvent(ChannelCallPlugin.actionAccept, call.data.toJSON())
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        guard let call = calls.removeValue(forKey: action.callUUID) else { return action.fail() }
        let declined = !call.hasConnected && !call.isOutGoing
        sendEvent(
            declined ? ChannelCallPlugin.actionDecline : ChannelCallPlugin.actionEnded, call.data.toJSON())
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        guard let call = calls[action.callUUID] else { return action.fail() }
        call.isOnHold = action.isOnHold
        sendEvent(ChannelCallPlugin.actionToggleHold, ["id": call.data.uuid, "isOnHold": call.isOnHold])
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        guard let call = calls[action.callUUID] else { return action.fail() }
        call.isMuted = action.isMuted
        sendEvent(ChannelCallPlugin.actionToggleMute, ["id": call.data.uuid, "isMuted": call.isMuted])
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        guard let call = calls[action.callUUID] else { return action.fail() }
        sendEvent(
            ChannelCallPlugin.actionDTMF,
            ["id": call.data.uuid, "digits": action.digits, "type": action.type.rawValue])
        action.fulfill()
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        sendEvent(ChannelCallPlugin.actionTimeout, [:])
    }

    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {
        sendEvent(ChannelCallPlugin.actionAudio, ["isActivate": true])
    }

    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
        sendEvent(ChannelCallPlugin.actionAudio, ["isActivate": false])
    }
}
