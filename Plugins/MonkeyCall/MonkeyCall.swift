// MonkeyCall: the sample of Apple's and Microsoft's CallKit guides, as a plugin. It needs no network: its far end is a
// handful of buttons.

import OpenCallKit

/// Keeps the app's parts together, as its app delegate does on a telephone.
@MainActor
final class MonkeyCall {
    let callManager = ActiveCallManager()
    let providerDelegate: ProviderDelegate

    init() {
        providerDelegate = ProviderDelegate(callManager: callManager)
    }
}

@c(opencallkit_plugin_main)
public func main(_ link: CInt) -> CInt {
    PluginMain.run(link) { MonkeyCall() }
}
