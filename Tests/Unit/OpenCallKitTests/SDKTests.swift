// The SDK against a scripted host, over a real link. The process has one connection, so the tests take turns.

import CallModel
import CallWire
import DBus
import EventLoop
import TestSupport
import Testing

@testable import OpenCallKit
@testable import OpenCallKitTestKit

@Suite(.serialized, .timeLimit(.minutes(15)), .inTurn) enum SDKTests {}

/// Takes turns with the tests of the test kit, which need the process's one connection too.
struct InTurn: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await TestHost.queue.begin()
        defer { TestHost.queue.end() }
        do { try await function() } catch {
            await SDKSession.current.connection.detach()
            throw error
        }
        await SDKSession.current.connection.detach()
    }
}

extension Trait where Self == InTurn {
    static var inTurn: Self { InTurn() }
}

/// One registered provider with its delegate, and the host it talks to.
@LoopActor
final class Session {
    let host: ScriptedHost
    let asked: Inbox<Asked>
    let provider: CXProvider
    let delegate: RecordingDelegate
    let registered: VariantDictionary
    nonisolated static let queue = DispatchQueue(label: "org.opencallkit.test")

    init(
        _ configuration: CXProviderConfiguration = CXProviderConfiguration(localizedName: "Test"),
        executes: Bool = false, onDeactivate: @escaping @Sendable () -> Void = {},
        onPerform: @escaping @Sendable (CXAction) -> Void = { _ in }
    ) async throws {
        host = try ScriptedHost.fresh()
        asked = Inbox()
        delegate = RecordingDelegate(asked, executes: executes, onDeactivate: onDeactivate, onPerform: onPerform)
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(delegate, queue: Self.queue)
        registered = try await host.begin()
        _ = try await asked.next { if case .begin = $0 { true } else { false } }
    }

    /// Ends the provider, so that the next test finds none.
    func end() async throws {
        provider.invalidate()
        _ = try await host.heard.next { $0 == .invalidated }
    }
}
