// The proxy: the only door to CallKit of an app that may run where there is none.

#if canImport(CallKit)
    import CallKit
#else
    import OpenCallKitPort
#endif

public final class MeetingCallKitProxy {
    private static var provider: CXProvider?
    private static var providerConfiguration: CXProviderConfiguration?
    private static let callController = CXCallController()
    private static let emitter = MeetingCallKitEmitter()

    public static var enabled = true {
        didSet {
            provider?.setDelegate(nil, queue: nil)
            guard enabled else {
                provider?.invalidate()
                provider = nil
                return
            }
            guard let configuration = providerConfiguration else { return }
            provider = CXProvider(configuration: configuration)
            provider?.setDelegate(emitter, queue: nil)
        }
    }

    public static func configureProvider(localizedName: String, ringtoneSound: String?, iconTemplateImageData: Data?) {
        guard enabled else { return }
        let configuration = CXProviderConfiguration(localizedName: localizedName)
        configuration.iconTemplateImageData = iconTemplateImageData
        configuration.maximumCallGroups = 1
        configuration.maximumCallsPerCallGroup = 1
        configuration.ringtoneSound = ringtoneSound
        configuration.supportedHandleTypes = [.generic]
        configuration.supportsVideo = true
        providerConfiguration = configuration
        if provider == nil {
            provider = CXProvider(configuration: configuration)
            provider?.setDelegate(emitter, queue: nil)
        } else {
            provider?.configuration = configuration
        }
    }

    public static func isProviderConfigured() -> Bool { providerConfiguration != nil }
    public static func addListener(_ listener: MeetingCallKitListener) { emitter.addListener(listener) }
    public static func removeListener(_ listener: MeetingCallKitListener) { emitter.removeListener(listener) }

    public static func hasActiveCallForUUID(_ callUUID: String) -> Bool {
        let activeCallForUUID = callController.callObserver.calls.first { $0.uuid == UUID(uuidString: callUUID) }
        guard activeCallForUUID != nil else { return false }
        return true
    }

    public static func reportNewIncomingCall(
        UUID: UUID, handle: String?, displayName: String?, hasVideo: Bool, completion: @escaping (Error?) -> Void
    ) {
        guard enabled else { return }
        let callUpdate = makeCXUpdate(handle: handle, displayName: displayName, hasVideo: hasVideo)
        provider?.reportNewIncomingCall(with: UUID, update: callUpdate, completion: completion)
    }

    public static func reportCallUpdate(with UUID: UUID, handle: String?, displayName: String?, hasVideo: Bool?) {
        guard enabled else { return }
        provider?.reportCall(
            with: UUID, updated: makeCXUpdate(handle: handle, displayName: displayName, hasVideo: hasVideo))
    }

    public static func reportCall(with UUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
        guard enabled else { return }
        provider?.reportCall(with: UUID, endedAt: dateEnded, reason: endedReason)
    }

    public static func reportOutgoingCall(with UUID: UUID, startedConnectingAt dateStartedConnecting: Date?) {
        guard enabled else { return }
        provider?.reportOutgoingCall(with: UUID, startedConnectingAt: dateStartedConnecting)
    }

    public static func reportOutgoingCall(with UUID: UUID, connectedAt dateConnected: Date?) {
        guard enabled else { return }
        provider?.reportOutgoingCall(with: UUID, connectedAt: dateConnected)
    }

    public static func request(_ transaction: CXTransaction, completion: @escaping (Error?) -> Void) {
        guard enabled else { return }
        // An action of this app that mutes is not passed on to the listeners.
        transaction.actions.forEach { action in
            if (action as? CXSetMutedCallAction) != nil { emitter.addMuteAction(action.uuid) }
        }
        callController.request(transaction, completion: completion)
    }

    private static func makeCXUpdate(handle: String?, displayName: String?, hasVideo: Bool?) -> CXCallUpdate {
        let update = CXCallUpdate()
        update.supportsDTMF = false
        update.supportsHolding = false
        update.supportsGrouping = false
        update.supportsUngrouping = false
        if let handle = handle { update.remoteHandle = CXHandle(type: .generic, value: handle) }
        if let displayName = displayName { update.localizedCallerName = displayName }
        if let hasVideo = hasVideo { update.hasVideo = hasVideo }
        return update
    }
}
