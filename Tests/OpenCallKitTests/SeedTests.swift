// The seed's code, compiled as Swift 5, at work on the main queue.

import CallModel
import DBus
import EventLoop
import ProviderLink
import SeedCode
import TestSupport
import Testing

@testable import OpenCallKit

/// The seed's objects, which live on the main queue.
@MainActor
private final class SeedApp {
    private let callManager = SeedCallManager()
    private let delegate: SeedProviderDelegate

    init() { delegate = SeedProviderDelegate(callManager: callManager) }

    var callCount: Int { callManager.calls.count }
    var isHeld: Bool { callManager.calls.map(\.state) == [.held] }

    func startCall(_ handle: String) { callManager.startCall(handle: handle, videoEnabled: true) }
    func reportCall(_ uuid: UUID) { delegate.reportIncomingCall(uuid: uuid, handle: "1234", completion: nil) }
    func end() { delegate.invalidate() }
}

extension SDKTests {
    @Suite @LoopActor struct Seed {
        @Test func outgoingCall() async throws {
            let host = try ScriptedHost.fresh()
            let app = await SeedApp()
            _ = try await host.begin()
            await app.startCall("1234")
            guard case .requested(let entries, _) = try await host.heard.next() else {
                Issue.record("nothing was requested")
                return
            }
            let action = try #require(try TransactionWire.actions(from: entries) { CallID(high: 0, low: 0) }.first)
            #expect(try await host.perform(action) == [:])
            let uuid = action.call.description
            #expect(try await host.heard.next() == .connecting(uuid, at: 0))
            #expect(try await host.heard.next() == .connected(uuid, at: 0))
            #expect(try await host.perform(.setHeld(action.call, true)) == [:])
            #expect(await app.isHeld)
            #expect(try await host.perform(.end(action.call, reason: "")) == [:])
            #expect(await app.callCount == 0)
            await app.end()
            #expect(try await host.heard.next() == .invalidated)
        }

        @Test func incomingCall() async throws {
            let host = try ScriptedHost.fresh()
            let app = await SeedApp()
            _ = try await host.begin()
            let uuid = UUID()
            await app.reportCall(uuid)
            guard case .incoming(uuid.wire, _) = try await host.heard.next() else {
                Issue.record("nothing was reported")
                return
            }
            let answer = try await host.perform(.answer(CallID(uuid)))
            #expect(answer["date"] != nil)
            #expect(AVAudioSession.sharedInstance().category == .playAndRecord)
            #expect(AVAudioSession.sharedInstance().mode == .voiceChat)
            let unknown = await #expect(throws: DBusError.self) {
                try await host.perform(.answer(CallID(high: 9, low: 9)))
            }
            #expect(unknown?.name == ErrorCode.actionFailed.busName)
            await app.end()
            #expect(try await host.heard.next() == .invalidated)
        }
    }
}
