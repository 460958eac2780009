// The seed's app.

#if canImport(UIKit)
    import UIKit
#else
    import OpenCallKit
#endif

class AppDelegate: UIResponder {
    let callManager = CallManager()
    lazy var providerDelegate = ProviderDelegate(callManager: self.callManager)

    var hasAudio: Bool { audioIsRunning }

    class var shared: AppDelegate { UIApplication.shared.appDelegate }

    func displayIncomingCall(uuid: UUID, handle: String, hasVideo: Bool = false, completion: ((Error?) -> Void)?) {
        providerDelegate.reportIncomingCall(uuid: uuid, handle: handle, hasVideo: hasVideo, completion: completion)
    }
}
