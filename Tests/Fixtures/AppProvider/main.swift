// A test app that is a provider over the session bus, with the same code as a plugin.

import OpenCallKit

@MainActor
final class AppProvider: CXProviderDelegate {
    let provider: CXProvider
    let controller = CXCallController(queue: .main)

    init() {
        let configuration = CXProviderConfiguration()
        configuration.supportedHandleTypes = [.generic]
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
    }

    nonisolated func providerDidReset(_ provider: CXProvider) {
        // Tells the test by a report, which reaches the host once there is one again.
        provider.reportCall(
            with: UUID(uuidString: "00000000-0000-4000-8000-000000000001") ?? UUID(), endedAt: nil, reason: .failed)
    }

    nonisolated func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fulfill() }

    nonisolated func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        MainActor.assumeIsolated {
            let start = CXStartCallAction(call: UUID(), handle: CXHandle(type: .generic, value: "app"))
            controller.request(CXTransaction(action: start)) { error in
                if let error { action.fail("\(error)") } else { action.fulfill() }
            }
        }
    }
}

let app = AppProvider()
withExtendedLifetime(app) { dispatchMain() }
