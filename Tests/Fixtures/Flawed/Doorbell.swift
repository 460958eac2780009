// A valid provider without capabilities: no outgoing calls, no hold, no groups, no tones.

import OpenCallKit

@MainActor
final class Doorbell {
    private let provider: CXProvider
    private var calls: Set<UUID> = []

    init() {
        let configuration = CXProviderConfiguration(localizedName: "Doorbell")
        configuration.supportedHandleTypes = [.generic]
        configuration.maximumCallGroups = 1
        configuration.maximumCallsPerCallGroup = 1
        configuration.customActions = [CXCustomButton(identifier: "simulate-incoming", label: "Ring")]
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
    }
}

extension Doorbell: @MainActor CXProviderDelegate {
    func providerDidReset(_ provider: CXProvider) { calls = [] }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        if calls.contains(action.callUUID) { action.fulfill() } else { action.fail() }
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        if calls.remove(action.callUUID) != nil { action.fulfill() } else { action.fail() }
    }

    func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        guard action.identifier == "simulate-incoming" else { return action.fail("there is one button only") }
        let uuid = UUID()
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: "front door")
        update.supportsHolding = false
        update.supportsDTMF = false
        provider.reportNewIncomingCall(with: uuid, update: update) { [self] error in
            guard error == nil else { return action.fail("nobody is at home") }
            calls.insert(uuid)
            action.fulfill()
        }
    }
}
