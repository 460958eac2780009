// MonkeyCall: the sample of Apple's and Microsoft's CallKit guides, as a plugin. It needs no network: custom actions
// simulate the far side.

import OpenCallKit

/// Holds the app's parts, as its app delegate does on iOS.
@MainActor
final class MonkeyCall {
    let callManager = ActiveCallManager()
    let providerDelegate: MonkeyCallDelegate
    let zoos: Zoos

    init() {
        providerDelegate = MonkeyCallDelegate(callManager: callManager)
        zoos = Zoos(callManager: callManager)
    }
}

@c(opencallkit_plugin_main)
public func main(_ link: CInt) -> CInt {
    PluginMain.run(link) { MonkeyCall() }
}
