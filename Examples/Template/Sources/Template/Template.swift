// A provider without a network: calls connect at once. Put yours where the comments are.

import OpenCallKit

@MainActor final class Template {
    let provider: CXProvider
    private var calls: Set<UUID> = []

    init() {
        let configuration = CXProviderConfiguration(localizedName: "Template")
        configuration.supportedHandleTypes = [.generic]
        configuration.maximumCallsPerCallGroup = 1
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
    }

    /// Call it when the network signals a call. An error means that it must not ring: refuse the call on the network.
    func receiveCall(from handle: CXHandle, as uuid: UUID = UUID()) async throws {
        let update = CXCallUpdate()
        update.remoteHandle = handle
        calls.insert(uuid)
        do {
            try await provider.reportNewIncomingCall(with: uuid, update: update)
        } catch {
            calls.remove(uuid)
            throw error
        }
    }

}

extension Template: @MainActor CXProviderDelegate {
    /// The daemon or this plugin ends, or the connection was lost.
    func providerDidReset(_ provider: CXProvider) {
        // Tell the far sides that their calls have ended.
        calls = []
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        // Call action.handle.value; fulfill when the network has taken the call, and report when the far side has answered.
        calls.insert(action.callUUID)
        action.fulfill()
        provider.reportOutgoingCall(with: action.callUUID, connectedAt: nil)
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { finish(action) }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        calls.remove(action.callUUID) == nil ? action.fail() : action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { finish(action) }

    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { finish(action) }

    /// Fulfills the action of a call that there is.
    private func finish(_ action: CXCallAction) {
        calls.contains(action.callUUID) ? action.fulfill() : action.fail()
    }
}

@c(opencallkit_plugin_main) public func pluginMain(_ link: CInt) -> CInt { PluginMain.run(link) { Template() } }
