// Service codes in the test kit.

import OpenCallKit
import OpenCallKitTestKit
import Synchronization
import Testing

/// A network with a menu behind `*101#`, which never answers `*199#`.
private final class Network: CXProviderDelegate, Sendable {
    let provider: CXProvider
    let heard = Mutex<[String]>([])

    init(declaring: Bool = true) {
        let configuration = CXProviderConfiguration(localizedName: "Network")
        configuration.supportsServiceCodes = declaring
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
    }

    func providerDidReset(_ provider: CXProvider) {}

    func provider(_ provider: CXProvider, perform action: CXServiceCodeAction) {
        heard.withLock { $0.append(action.text) }
        switch action.text {
        case "*101#": action.fulfill(with: "1: Balance\r\n2: Top up", asksForReply: true)
        case "*199#": break
        case "*404#": action.fail("no such service")
        default: action.fulfill(with: action.isReply ? "12 euros" : "")
        }
    }

    func providerDidCancelServiceCode(_ provider: CXProvider) { heard.withLock { $0.append("cancelled") } }
}

@Suite struct ServiceCodeTests {
    @Test func aNetworkAnswersAndAsksBack() async throws {
        try await TestHost.run { host in
            let network = Network()
            try await host.settle()
            let menu = try await host.sendServiceCode("*101#", with: "app_Network")
            #expect(menu == ("1: Balance\n2: Top up", true))
            let balance = try await host.replyToServiceCode("1", with: "app_Network")
            #expect(balance == ("12 euros", false))
            await #expect(throws: CXErrorCodeRequestTransactionError.self) {
                _ = try await host.replyToServiceCode("1", with: "app_Network")
            }
            _ = try await host.sendServiceCode("*101#", with: "app_Network")
            try await host.cancelServiceCode(with: "app_Network")
            #expect(network.heard.withLock { $0 } == ["*101#", "1", "*101#", "cancelled"])
        }
    }

    @Test func whoeverLetsTheOtherWaitIsGivenUp() async throws {
        try await TestHost.run { host in
            let network = Network()
            try await host.settle()
            _ = try await host.sendServiceCode("*101#", with: "app_Network")
            try await host.advance(by: .seconds(91))
            let never = Task { try await host.sendServiceCode("*199#", with: "app_Network") }
            try await host.wait(for: "the code") { network.heard.withLock { $0.contains("*199#") } }
            try await host.advance(by: .seconds(91))
            await #expect(throws: CXErrorCodeRequestTransactionError.self) { _ = try await never.value }
            #expect(network.heard.withLock { $0 } == ["*101#", "cancelled", "*199#", "cancelled"])
        }
    }

    @Test func aRefusalEndsTheExchange() async throws {
        try await TestHost.run { host in
            let network = Network()
            try await host.settle()
            for code in ["*404#", "**04*1234*1#", "alice"] {
                await #expect(throws: CXErrorCodeRequestTransactionError.self) {
                    _ = try await host.sendServiceCode(code, with: "app_Network")
                }
            }
            #expect(try await host.sendServiceCode("100#", with: "app_Network") == ("", false))
            #expect(network.heard.withLock { $0 } == ["*404#", "100#"])
        }
        try await TestHost.run { host in
            let network = Network(declaring: false)
            try await host.settle()
            await #expect(throws: CXErrorCodeRequestTransactionError.self) {
                _ = try await host.sendServiceCode("*100#", with: "app_Network")
            }
            #expect(network.heard.withLock { $0 } == [])
        }
    }
}
