// Hotline: the sample app of a well-known CallKit tutorial, as a plugin.

import OpenCallKit

/// The app: its calls and its provider delegate.
@MainActor
final class Hotline {
    let callManager = CallManager()
    let providerDelegate: ProviderDelegate

    init() {
        providerDelegate = ProviderDelegate(callManager: callManager)
    }
}

@c(opencallkit_plugin_main)
public func main(_ link: CInt) -> CInt {
    PluginMain.run(link) { Hotline() }
}
