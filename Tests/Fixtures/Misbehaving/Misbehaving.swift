// A test plugin that misbehaves on request.

import Dispatch
import Glibc
import OpenCallKit

final class Misbehaving: CXProviderDelegate {
    let provider: CXProvider

    init() {
        let configuration = CXProviderConfiguration(localizedName: "Misbehaving")
        configuration.supportedHandleTypes = [.generic]
        configuration.customActions = ["segfault", "trap", "exit", "hang", "garbage", "report"].map {
            CXCustomButton(identifier: $0, label: $0)
        }
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
    }

    func providerDidReset(_ provider: CXProvider) {}

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        action.fulfill()
        provider.reportOutgoingCall(with: action.callUUID, connectedAt: nil)
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.fulfill() }
    func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fulfill() }

    func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        switch action.identifier {
        case "segfault": UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case "trap": _ = [0][Int(getpid())]
        case "exit": exit(0)
        case "hang": while true { pause() }
        case "garbage": for descriptor in 3..<16 as Range<Int32> { send(descriptor, "garbage", 7, 0) }
        default: action.fulfill(with: [:])
        }
    }
}

@c(opencallkit_plugin_main) public func pluginMain(_ link: CInt) -> CInt { PluginMain.run(link) { Misbehaving() } }
