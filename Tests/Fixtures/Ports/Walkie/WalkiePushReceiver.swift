// What the app delegate does with push messages.

#if canImport(CallKit)
    import CallKit
    import PushKit
    import os
#else
    import OpenCallKitPort
#endif

final class WalkiePushReceiver: NSObject, PKPushRegistryDelegate {
    let pushRegistry = PKPushRegistry(queue: DispatchQueue.main)
    let callManager = WalkieCallManager()
    private(set) lazy var providerDelegate = WalkieProviderDelegate(callManager: callManager)
    private(set) var token: Data?

    func applicationDidFinishLaunching() {
        _ = providerDelegate
        pushRegistry.delegate = self
        pushRegistry.desiredPushTypes = [.voIP]
        let name = ProcessInfo.processInfo.hostName
        Logger(subsystem: "com.example.walkie", category: "app").notice("waits for pushes as \(name)")
    }

    func pushRegistry(_ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType) {
        token = credentials.token
    }

    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        guard type == .voIP,
            let uuidString = payload.dictionaryPayload["UUID"] as? String,
            let handle = payload.dictionaryPayload["handle"] as? String,
            let uuid = UUID(uuidString: uuidString)
        else {
            completion()
            return
        }
        let hasVideo = (payload.dictionaryPayload["hasVideo"] as? Bool) ?? false
        providerDelegate.reportIncomingCall(uuid: uuid, handle: handle, hasVideo: hasVideo) { _ in completion() }
    }
}
