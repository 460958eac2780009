// The examples of the article on tests.

import OpenCallKit
import OpenCallKitTestKit
import Testing

@Suite struct ExampleTests {
    @Test func anotherAppsCallPutsOursOnHold() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let other = try await host.addProvider("Other")
            let ours = try await host.startCall(to: CXHandle(type: .generic, value: "ada"), with: "app_Phone")
            phone.provider.reportOutgoingCall(with: ours.uuid, connectedAt: nil)

            let theirs = try await other.receiveCall()
            try await theirs.answer()

            #expect(ours.state == .held && theirs.state == .active)
            #expect(phone.heard.suffix(2) == ["held true", "deactivated"])
        }
    }

    @Test func aCallOfTheHandsetIsHeld() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let theirs = try await host.addProvider("Other").receiveCall()
            try await theirs.answer()

            let (uuid, update) = (UUID(), CXCallUpdate())
            update.remoteHandle = CXHandle(type: .generic, value: "ada")
            try await phone.provider.reportOngoingCall(with: uuid, isOutgoing: true, connectedAt: nil, update: update)
            try await host.settle()

            #expect(host.call(uuid)?.heldBy == "arbiter" && theirs.state == .active)
            #expect(phone.heard.last == "held true")
        }
    }

    @Test func anAnswerThatNeverComesTimesOut() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            phone.keepActions()
            let call = try await host.startCall(to: CXHandle(type: .generic, value: "ada"), until: .accepted)
            #expect(call.state == .starting)

            try await host.advance(by: .seconds(5))

            #expect(call.state == .ended && call.endedBy == "deadline")
            #expect(phone.heard.contains("timed out CXStartCallAction"))
        }
    }
}
