import OpenCallKit

final class Smallest: CXProviderDelegate {
    let provider: CXProvider

    init() {
        let configuration = CXProviderConfiguration(localizedName: "Smallest")
        configuration.supportedHandleTypes = [.generic]
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
    }

    func providerDidReset(_ provider: CXProvider) {}

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        action.fulfill()
        provider.reportOutgoingCall(with: action.callUUID, connectedAt: nil)
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fulfill() }
}

@c(opencallkit_plugin_main) public func pluginMain(_ link: CInt) -> CInt { PluginMain.run(link) { Smallest() } }
