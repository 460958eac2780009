// How a provider registers, changes and is invalidated.

import CallModel
import CallWire
import DBus
import EventLoop
import TestSupport
import Testing

@testable import OpenCallKit

extension SDKTests {
    @Suite @LoopActor struct Registration {
        @Test func configurationArrives() async throws {
            let configuration = CXProviderConfiguration(localizedName: "Hotline")
            configuration.supportedHandleTypes = [.emailAddress, .phoneNumber]
            configuration.supportsVideo = true
            configuration.maximumCallGroups = 3
            configuration.maximumCallsPerCallGroup = 1
            configuration.includesCallsInRecents = false
            configuration.ringtoneSound = "Ringtone.wav"
            configuration.iconTemplateImageData = Data([1, 2, 3])
            configuration.customActions = [CXCustomButton(identifier: "nudge", label: "Nudge")]
            configuration.emergencyNumbers = ["110"]
            let session = try await Session(configuration)
            var expected = ProviderConfiguration()
            expected.localizedName = "Hotline"
            expected.supportedHandleTypes = [.phoneNumber, .emailAddress]
            expected.supportsVideo = true
            expected.maximumCallGroups = 3
            expected.maximumCallsPerCallGroup = 1
            expected.includesCallsInRecents = false
            expected.ringtoneSound = "Ringtone.wav"
            expected.iconTemplateImage = [1, 2, 3]
            expected.customActions = [CustomAction(id: "nudge", label: "Nudge")]
            expected.emergencyNumbers = ["110"]
            #expect(try ProviderConfiguration(wire: session.registered) == expected)
            try await session.end()
        }

        @Test func defaults() async throws {
            let session = try await Session(CXProviderConfiguration())
            let configuration = try ProviderConfiguration(wire: session.registered)
            #expect(!configuration.localizedName.isEmpty)
            #expect(configuration.maximumCallGroups == 2)
            #expect(configuration.maximumCallsPerCallGroup == 5)
            #expect(configuration.includesCallsInRecents)
            #expect(configuration.emergencyNumbers.isEmpty)
            try await session.end()
        }

        @Test func changes() async throws {
            let session = try await Session()
            let configuration = session.provider.configuration
            configuration.supportsVideo = true
            #expect(!session.provider.configuration.supportsVideo)
            session.provider.configuration = configuration
            #expect(session.provider.configuration.supportsVideo)
            guard case .reconfigured(let wire) = try await session.host.heard.next() else {
                Issue.record("something else was said")
                return
            }
            #expect(wire["supports-video"] == .bool(true))
            try await session.end()
        }

        @Test func invalidation() async throws {
            let session = try await Session()
            session.provider.invalidate()
            #expect(try await session.host.heard.next() == .invalidated)
            try await session.asked.reset()
            let update = CXCallUpdate()
            update.remoteHandle = CXHandle(type: .generic, value: "a")
            await #expect(throws: CXErrorCodeIncomingCallError.self) {
                try await session.provider.reportNewIncomingCall(with: UUID(), update: update)
            }
            session.provider.invalidate()
            await loopTurn()
            #expect(session.host.heard.pending == [])
        }

        @Test func lettingGo() async throws {
            let host = try ScriptedHost.fresh()
            var provider: CXProvider? = CXProvider(configuration: CXProviderConfiguration(localizedName: "Brief"))
            _ = try await host.begin()
            _ = provider
            provider = nil
            #expect(try await host.heard.next() == .invalidated)
        }

        @Test func refusedRegistration() async throws {
            let host = try ScriptedHost.fresh()
            host.refusal = CallError(.invalidArguments, "localized-name: no")
            let provider = CXProvider(configuration: CXProviderConfiguration(localizedName: "Refused"))
            let update = CXCallUpdate()
            update.remoteHandle = CXHandle(type: .generic, value: "a")
            let error = await #expect(throws: CXErrorCodeIncomingCallError.self) {
                try await provider.reportNewIncomingCall(with: UUID(), update: update)
            }
            #expect(error?.message == "localized-name: no")
        }

        @Test func whoHasAHostAlreadyIsNotInATest() throws {
            _ = try ScriptedHost.fresh()
            let session = SDKSession.beginTest(resourceDirectory: "", permissions: []) {
                LoopTimer(after: $0, handler: $1)
            }
            #expect(session == nil && !SDKSession.current.connection.isRemote)
        }

        @Test func eventsWaitForADelegate() async throws {
            let host = try ScriptedHost.fresh()
            let provider = CXProvider(configuration: CXProviderConfiguration(localizedName: "Late"))
            _ = try await host.begin()
            await loopTurn()
            let asked = Inbox<Asked>()
            let delegate = RecordingDelegate(asked)
            provider.setDelegate(delegate, queue: Session.queue)
            guard case .begin = try await asked.next() else {
                Issue.record("the first event was lost")
                return
            }
            provider.invalidate()
            try await asked.reset()
        }
    }
}
