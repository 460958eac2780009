// The same provider in an app of its own, on a real bus: registration, the host going and coming, and strangers.

import CallModel
import CallWire
import DBus
import EventLoop
import TestSupport
import Testing

@testable import OpenCallKit

@Suite(.serialized, .timeLimit(.minutes(15))) @LoopActor struct AppTests {
    private let call = CallID(high: 1, low: 2)

    /// An app on a bus of its own with a scripted host.
    @LoopActor
    private final class Stage {
        let privateBus: PrivateBus
        let bus: Bus
        let host: ScriptedHost
        private let app: ChildProcess

        init(hostFirst: Bool = true) async throws {
            privateBus = try await PrivateBus()
            bus = try await Bus.connect(to: privateBus.address)
            host = ScriptedHost(bus)
            if hostFirst { _ = try await bus.requestName(Contract.busName) }
            app = try ChildProcess.spawn(
                productFolder + "/AppProvider", environment: ["DBUS_SESSION_BUS_ADDRESS": privateBus.address],
                onExit: { _ in })
        }

        isolated deinit {
            _ = app.kill(9)
        }
    }

    @Test func registersAndWorks() async throws {
        let stage = try await Stage()
        let configuration = try ProviderConfiguration(wire: try await stage.host.begin())
        #expect(configuration.localizedName == "AppProvider")
        #expect(try await stage.host.perform(.answer(call)) == [:])
        let refused = await #expect(throws: DBusError.self) { try await stage.host.perform(.setHeld(call, true)) }
        #expect(refused?.name == ErrorCode.notSupported.busName)
        _ = try await stage.host.pressButton("call", [:])
        guard case .requested(let entries, _) = try await stage.host.heard.next() else {
            Issue.record("nothing was requested")
            return
        }
        #expect(entries.first?.fields.1["provider"] == .objectPath(ScriptedHost.providerPath))
    }

    @Test func waitsForTheHost() async throws {
        let stage = try await Stage(hostFirst: false)
        _ = try await stage.bus.requestName(Contract.busName)
        _ = try await stage.host.begin()
        #expect(try await stage.host.perform(.answer(call)) == [:])
    }

    @Test func hostGoesAndComes() async throws {
        let stage = try await Stage()
        _ = try await stage.host.begin()
        try await stage.bus.releaseName(Contract.busName)
        _ = try await stage.bus.requestName(Contract.busName)
        _ = try await stage.host.begin()
        // The app was told to forget everything, and said so.
        guard case .ended = try await stage.host.heard.next() else {
            Issue.record("the app was not reset")
            return
        }
        #expect(try await stage.host.perform(.answer(call)) == [:])
    }

    @Test func busGoesAndComes() async throws {
        let stage = try await Stage()
        _ = try await stage.host.begin()
        try await stage.privateBus.stop()
        try await stage.privateBus.start()
        let bus = try await Bus.connect(to: stage.privateBus.address)
        let host = ScriptedHost(bus)
        _ = try await bus.requestName(Contract.busName)
        _ = try await host.begin()
        #expect(try await host.perform(.answer(call)) == [:])
    }

    @Test func strangersAreRefused() async throws {
        let stage = try await Stage()
        _ = try await stage.host.begin()
        let stranger = try await Bus.connect(to: stage.privateBus.address)
        let wire = PerformWire(id: "1", action: .answer(call), transaction: "", deadline: 1)
        let answers = Inbox<Result<Message, DBusError>>()
        for member in [ProviderMember.Delegate.reset, ProviderMember.Delegate.audioSessionDeactivated] {
            stranger.call(
                try Message.call(to: stage.host.peer, at: stage.host.delegate, Contract.providerDelegate, member),
                timeout: .seconds(60)
            ) { answers.put($0) }
        }
        let perform = try wire.message(to: stage.host.peer, at: stage.host.delegate)
        stranger.call(perform, timeout: .seconds(60)) { answers.put($0) }
        for _ in 0..<3 {
            let answer = try await answers.next()
            let error = #expect(throws: DBusError.self) { try answer.get() }
            #expect(error?.name == ErrorCode.accessDenied.busName)
        }
    }
}
