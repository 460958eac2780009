// Several providers in one process, and one that is released.

import OpenCallKit
import OpenCallKitTestKit
import Testing

@Suite struct SeveralProvidersTests {
    @Test func aStartGoesToTheOneThatTakesTheHandle() async throws {
        try await TestHost.run { host in
            let (phone, mails) = (Phone(), Phone("Mails"))
            let configuration = mails.provider.configuration
            configuration.supportedHandleTypes = [.emailAddress]
            mails.provider.configuration = configuration
            try await host.settle()

            let handle = CXHandle(type: .emailAddress, value: "ada@example.org")
            let action = CXStartCallAction(call: UUID(), handle: handle)
            try await CXCallController().request(CXTransaction(action: action))
            try await host.settle()

            #expect(host.call(action.callUUID)?.provider == "app_Mails" && host.anomalies.isEmpty)
            #expect(mails.heard.contains("start ada@example.org") && phone.heard == ["begin"])
        }
    }

    @Test func oneThatIsLetGoOfGivesTheAudioBack() async throws {
        try await TestHost.run { host in
            var phone: Phone? = Phone()
            let call = try #require(try await phone?.ring(from: CXHandle(type: .generic, value: "ada"), in: host))
            try await call.answer()
            #expect(AVAudioSession.sharedInstance().isGranted && phone?.heard.last == "activated")

            phone = nil
            try await host.wait(for: "the end of its call") { host.allCalls.allSatisfy { $0.state == .ended } }

            #expect(!AVAudioSession.sharedInstance().isGranted && !AVAudioSession.sharedInstance().isActive)
        }
    }
}
