// The seed's code, the very files, compiled as Swift 6: the app isolated to the main actor, the extension not at all.

import CallModel
import DBus
import EventLoop
import ProviderLink
import SeedCode6
import SeedDirectory6
import TestSupport
import Testing

@testable import OpenCallKit

/// The seed's objects.
@MainActor
private final class SeedApp {
    let callManager = SeedCallManager()
    private let delegate: SeedProviderDelegate

    init() { delegate = SeedProviderDelegate(callManager: callManager) }

    func startCall(_ handle: String) { callManager.startCall(handle: handle, videoEnabled: false) }
    func isHeld() -> Bool { callManager.calls.map(\.state) == [.held] }
    func end() { delegate.invalidate() }
}

extension SDKTests {
    @Suite @LoopActor struct SeedSwift6 {
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
            #expect(await app.isHeld())
            #expect(try await host.perform(.end(action.call, reason: "")) == [:])
            await app.end()
            #expect(try await host.heard.next() == .invalidated)
        }

        @Test func directory() {
            let handler = SeedDirectoryHandler()
            handler.beginRequest(with: CXCallDirectoryExtensionContext(rehearsing: false))
            #expect(handler.failure == nil)
            handler.beginRequest(with: CXCallDirectoryExtensionContext(rehearsing: true))
            #expect(handler.failure == nil)
        }
    }
}
