import OpenCallKit

final class Smallest: CXProviderDelegate {
    let provider: CXProvider
    var calls: Set<UUID> = []

    init() {
        let configuration = CXProviderConfiguration(localizedName: "Smallest")
        configuration.supportedHandleTypes = [.generic]
        configuration.maximumCallsPerCallGroup = 1
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
    }

    func providerDidReset(_ provider: CXProvider) { calls = [] }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        calls.insert(action.callUUID)
        action.fulfill()
        provider.reportOutgoingCall(with: action.callUUID, connectedAt: nil)
    }
    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        calls.remove(action.callUUID) == nil ? action.fail() : action.fulfill()
    }
    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { answer(action) }
    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { answer(action) }
    func answer(_ action: CXCallAction) { calls.contains(action.callUUID) ? action.fulfill() : action.fail() }
}

@c(opencallkit_plugin_main) public func pluginMain(_ link: CInt) -> CInt { PluginMain.run(link) { Smallest() } }
