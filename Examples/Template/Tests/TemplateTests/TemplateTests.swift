// The provider with the host's own code in one process: no bus, no daemon, and a clock that tests move.

import OpenCallKit
import OpenCallKitTestKit
import Testing

@testable import Template

@MainActor @Suite struct TemplateTests {
    let somebody = CXHandle(type: .generic, value: "somebody")

    @Test func aCallIsStartedAndEnds() async throws {
        try await TestHost.run { host in
            let ours = Template()
            let call = try await host.startCall(to: somebody)
            #expect(call.state == .active)
            try await call.end()
            #expect(call.endReason == "local-ended" && host.anomalies.isEmpty)
            withExtendedLifetime(ours) {}
        }
    }

    @Test func anIncomingCallHoldsTheOneThatGoesOn() async throws {
        try await TestHost.run { host in
            let ours = Template()
            let first = try await host.startCall(to: somebody)
            let uuid = UUID()
            try await ours.receiveCall(from: CXHandle(type: .generic, value: "another"), as: uuid)
            try await host.settle()
            let second = try #require(host.call(uuid))
            #expect(second.state == .ringing)
            try await second.answer()
            #expect(first.state == .held && second.state == .active)
        }
    }
}
