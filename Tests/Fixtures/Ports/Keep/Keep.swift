// A layer like the module of a cross-platform framework: string UUIDs, dictionaries of options, and events by name that
// wait until somebody listens.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
    import UIKit
#else
    import OpenCallKitPort
#endif

final class Keep: NSObject {
    static var sharedProvider: CXProvider?

    let callController = CXCallController()
    var listener: ((_ name: String, _ body: [String: Any]) -> Void)? { didSet { sendDelayedEvents() } }
    private var delayedEvents: [(name: String, body: [String: Any])] = []
    private var settings: [String: Any] = [:]

    func setup(_ options: [String: Any]) {
        settings = options
        if Keep.sharedProvider == nil {
            Keep.sharedProvider = CXProvider(configuration: Keep.providerConfiguration(options))
        }
        Keep.sharedProvider?.setDelegate(self, queue: nil)
        callController.callObserver.setDelegate(self, queue: nil)
    }

    static func providerConfiguration(_ settings: [String: Any]) -> CXProviderConfiguration {
        let configuration = CXProviderConfiguration(localizedName: settings["appName"] as? String ?? "App")
        configuration.supportsVideo = true
        configuration.maximumCallGroups = 3
        configuration.maximumCallsPerCallGroup = 1
        if let handleType = settings["handleType"] as? String {
            configuration.supportedHandleTypes = [Keep.handleType(handleType)]
        } else {
            configuration.supportedHandleTypes = [.phoneNumber]
        }
        if let supportsVideo = settings["supportsVideo"] as? Bool { configuration.supportsVideo = supportsVideo }
        if let maximum = settings["maximumCallGroups"] as? String {
            configuration.maximumCallGroups = Int(maximum) ?? 3
        }
        if let imageName = settings["imageName"] as? String {
            configuration.iconTemplateImageData = UIImage(named: imageName)?.pngData()
        }
        if let ringtone = settings["ringtoneSound"] as? String { configuration.ringtoneSound = ringtone }
        if let includes = settings["includesCallsInRecents"] as? Bool {
            configuration.includesCallsInRecents = includes
        }
        return configuration
    }

    static func handleType(_ word: String) -> CXHandle.HandleType {
        switch word {
        case "number": return .phoneNumber
        case "email": return .emailAddress
        default: return .generic
        }
    }

    // MARK: what the framework calls

    func displayIncomingCall(
        _ uuidString: String, handle: String, handleType: String = "generic", hasVideo: Bool = false,
        localizedCallerName: String?, payload: [String: Any] = [:], completion: (() -> Void)? = nil
    ) {
        guard let uuid = UUID(uuidString: uuidString) else { return }
        let callUpdate = CXCallUpdate()
        callUpdate.remoteHandle = CXHandle(type: Keep.handleType(handleType), value: handle)
        callUpdate.supportsHolding = true
        callUpdate.supportsDTMF = true
        callUpdate.supportsGrouping = false
        callUpdate.supportsUngrouping = false
        callUpdate.hasVideo = hasVideo
        callUpdate.localizedCallerName = localizedCallerName
        Keep.sharedProvider?.reportNewIncomingCall(with: uuid, update: callUpdate) { error in
            self.sendEvent(
                "didDisplayIncomingCall",
                [
                    "error": error?.localizedDescription ?? "", "errorCode": (error as NSError?)?.code ?? 0,
                    "callUUID": uuidString, "handle": handle, "payload": payload,
                ])
            completion?()
        }
    }

    func startCall(_ uuidString: String, handle: String, contactIdentifier: String?, video: Bool = false) {
        guard let uuid = UUID(uuidString: uuidString) else { return }
        let callHandle = CXHandle(type: Keep.handleType(settings["handleType"] as? String ?? ""), value: handle)
        let startCallAction = CXStartCallAction(call: uuid, handle: callHandle)
        startCallAction.isVideo = video
        startCallAction.contactIdentifier = contactIdentifier
        request(CXTransaction(action: startCallAction))
    }

    func answerIncomingCall(_ uuidString: String) { request(uuidString) { CXAnswerCallAction(call: $0) } }
    func endCall(_ uuidString: String) { request(uuidString) { CXEndCallAction(call: $0) } }
    func setOnHold(_ uuidString: String, _ onHold: Bool) {
        request(uuidString) { CXSetHeldCallAction(call: $0, onHold: onHold) }
    }
    func setMutedCall(_ uuidString: String, _ muted: Bool) {
        request(uuidString) { CXSetMutedCallAction(call: $0, muted: muted) }
    }
    func sendDTMF(_ uuidString: String, _ key: String) {
        request(uuidString) { CXPlayDTMFCallAction(call: $0, digits: key, type: .hardPause) }
    }

    func endAllCalls() {
        for call in callController.callObserver.calls {
            request(CXTransaction(action: CXEndCallAction(call: call.uuid)))
        }
    }

    func reportConnectingOutgoingCall(_ uuidString: String) {
        guard let uuid = UUID(uuidString: uuidString) else { return }
        Keep.sharedProvider?.reportOutgoingCall(with: uuid, startedConnectingAt: Date())
    }

    func reportConnectedOutgoingCall(_ uuidString: String) {
        guard let uuid = UUID(uuidString: uuidString) else { return }
        Keep.sharedProvider?.reportOutgoingCall(with: uuid, connectedAt: Date())
    }

    func reportEndCall(_ uuidString: String, reason: Int) {
        guard let uuid = UUID(uuidString: uuidString), let reason = CXCallEndedReason(rawValue: reason) else { return }
        Keep.sharedProvider?.reportCall(with: uuid, endedAt: Date(), reason: reason)
    }

    func updateDisplay(_ uuidString: String, displayName: String, uri: String) {
        guard let uuid = UUID(uuidString: uuidString) else { return }
        let callUpdate = CXCallUpdate()
        callUpdate.localizedCallerName = displayName
        callUpdate.remoteHandle = CXHandle(type: .generic, value: uri)
        Keep.sharedProvider?.reportCall(with: uuid, updated: callUpdate)
    }

    func getAudioRoutes() -> [[String: Any]] {
        let session = AVAudioSession.sharedInstance()
        let selected = session.currentRoute.outputs.first?.portType
        var routes = (session.availableInputs ?? []).map { input in
            ["name": input.portName, "type": Keep.routeType(input.portType), "selected": false] as [String: Any]
        }
        routes.append(["name": "Speaker", "type": "Speaker", "selected": selected == .builtInSpeaker])
        return routes
    }

    func setAudioRoute(_ inputName: String) throws {
        let session = AVAudioSession.sharedInstance()
        if inputName == "Speaker" {
            try session.overrideOutputAudioPort(.speaker)
            return
        }
        for port in session.availableInputs ?? [] where port.portName == inputName {
            try session.setPreferredInput(port)
        }
    }

    private static func routeType(_ type: AVAudioSession.Port) -> String {
        switch type {
        case .builtInMic, .builtInReceiver: return "Phone"
        case .headsetMic, .headphones: return "Headset"
        case .bluetoothHFP, .bluetoothA2DP, .bluetoothLE: return "Bluetooth"
        case .builtInSpeaker: return "Speaker"
        default: return type.rawValue
        }
    }

    // MARK: events

    func sendEvent(_ name: String, _ body: [String: Any]) {
        if let listener = listener { listener(name, body) } else { delayedEvents.append((name, body)) }
    }

    private func sendDelayedEvents() {
        guard let listener = listener else { return }
        let events = delayedEvents
        delayedEvents = []
        for event in events { listener(event.name, event.body) }
    }

    private func request(_ uuidString: String, _ action: (UUID) -> CXAction) {
        guard let uuid = UUID(uuidString: uuidString) else { return }
        request(CXTransaction(action: action(uuid)))
    }

    private func request(_ transaction: CXTransaction) {
        callController.request(transaction) { error in
            if let error = error {
                self.sendEvent("requestFailed", ["error": "\(error)"])
                return
            }
            guard let start = transaction.actions.first as? CXStartCallAction else { return }
            let callUpdate = CXCallUpdate()
            callUpdate.remoteHandle = start.handle
            callUpdate.hasVideo = start.isVideo
            callUpdate.supportsDTMF = true
            callUpdate.supportsHolding = true
            callUpdate.supportsGrouping = false
            callUpdate.supportsUngrouping = false
            Keep.sharedProvider?.reportCall(with: start.callUUID, updated: callUpdate)
        }
    }
}
