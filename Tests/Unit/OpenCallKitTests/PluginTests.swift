// The sample plugins in workers of their own: the entry, the main queue, the far end's buttons.

import CallModel
import CallWire
import DBus
import EventLoop
import TestSupport
import Testing

@testable import OpenCallKit

private func handle(_ plugin: String) throws -> Handle {
    try Handle(type: plugin == "Hotline" ? .phoneNumber : .generic, value: "1234")
}

@Suite(.serialized, .timeLimit(.minutes(15))) @LoopActor struct PluginTests {
    private let call = CallID(high: 0xABCD_EF01_2345_4789, low: 0x8BCD_EF01_2345_6789)

    private func start(_ plugin: String) throws -> CallAction {
        .start(call, StartRequest(try handle(plugin)))
    }

    @Test(arguments: ["MonkeyCall", "Hotline"]) func introduction(plugin: String) async throws {
        let worker = try Worker(plugin)
        let hello = try await worker.host.heard.next()
        #expect(
            hello
                == .hello(
                    protocol: Contract.protocolVersion, sdk: OpenCallKitVersion.text,
                    toolchain: PluginNoteSection.toolchain))
        try await worker.begin()
        let configuration = worker.configuration
        #expect(configuration.localizedName == plugin)
        #expect(configuration.iconTemplateImage.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(configuration.ringtoneSound.hasSuffix(".wav"))
        #expect(configuration.customActions.map(\.id).allSatisfy { $0.hasPrefix("simulate-") })
        #expect(configuration.customActions.count == (plugin == "Hotline" ? 6 : 4))
        worker.host.close()
        #expect(try await worker.exit() == .exited(0))
    }

    @Test func differences() async throws {
        let (monkey, hotline) = (try Worker("MonkeyCall"), try Worker("Hotline"))
        try await monkey.begin()
        try await hotline.begin()
        #expect(monkey.configuration.supportedHandleTypes == [.generic, .phoneNumber])
        #expect(hotline.configuration.supportedHandleTypes == [.phoneNumber, .emailAddress])
        #expect(monkey.configuration.maximumCallsPerCallGroup == 1)
        #expect(hotline.configuration.maximumCallsPerCallGroup == 5)
        #expect(monkey.configuration.ringtoneSound != hotline.configuration.ringtoneSound)
        #expect(monkey.configuration.iconTemplateImage != hotline.configuration.iconTemplateImage)
        #expect(hotline.configuration.supportsVideo && !monkey.configuration.supportsVideo)
        try await monkey.end()
        try await hotline.end()
    }

    @Test(arguments: ["MonkeyCall", "Hotline"]) func outgoingCall(plugin: String) async throws {
        let worker = try Worker(plugin)
        try await worker.begin()
        let host = worker.host
        #expect(try await host.perform(try start(plugin)) == [:])
        let uuid = call.description
        guard case .connecting(uuid, _) = try await worker.host.heard.next(),
            case .connected(uuid, _) = try await worker.host.heard.next()
        else {
            Issue.record("the call did not connect")
            return
        }
        for action: CallAction in [
            .setHeld(call, true), .setHeld(call, false), .setMuted(call, true),
            .playDTMF(call, digits: "1", tone: .singleTone), .end(call, reason: ""),
        ] {
            #expect(try await host.perform(action) == [:])
        }
        await #expect(throws: DBusError.self) { try await host.perform(.setHeld(call, true)) }
        try await worker.end()
    }

    @Test(arguments: ["MonkeyCall", "Hotline"]) func incomingCall(plugin: String) async throws {
        let worker = try Worker(plugin)
        try await worker.begin()
        let host = worker.host
        let result = try await host.pressButton(
            "simulate-incoming", ["handle": .string("1234"), "name": .string("Ada"), "video": .bool(true)])
        let uuid: String = try result.required("call-uuid")
        let id = try #require(CallID(uuid))
        let update: VariantDictionary = [
            "remote-handle": Variant(try handle(plugin).wire), "localized-caller-name": .string("Ada"),
            "has-video": .bool(true),
        ]
        #expect(try await host.heard.next() == .incoming(uuid, update))
        #expect(try await host.perform(.answer(id)) == [:])
        _ = try await host.pressButton("simulate-remote-hold", [:])
        #expect(try await host.heard.next() == .updated(uuid, ["remote-held": .bool(true)]))
        _ = try await host.pressButton("simulate-remote-hold", ["on-hold": .bool(false), "call-uuid": .string(uuid)])
        #expect(try await host.heard.next() == .updated(uuid, ["remote-held": .bool(false)]))
        _ = try await host.pressButton("simulate-remote-end", ["reason": .string("answered-elsewhere")])
        guard case .ended(uuid, _, "answered-elsewhere", _) = try await host.heard.next() else {
            Issue.record("the end was not reported")
            return
        }
        await #expect(throws: DBusError.self) { try await host.pressButton("simulate-remote-end", [:]) }
        try await worker.end()
    }

    @Test(arguments: ["MonkeyCall", "Hotline"]) func handles(plugin: String) async throws {
        let worker = try Worker(plugin)
        try await worker.begin()
        let host = worker.host
        for argument in [Variant.string("email-address:a@b.c"), Variant(Struct("email-address", "a@b.c"))] {
            _ = try await host.pressButton("simulate-incoming", ["handle": argument])
            guard case .incoming(_, let update) = try await host.heard.next() else {
                Issue.record("nothing was reported")
                return
            }
            #expect(update["remote-handle"] == Variant(Struct("email-address", "a@b.c")))
        }
        for argument in [Variant.bool(true), Variant(Struct("telex", "1"))] {
            await #expect(throws: DBusError.self) {
                try await host.pressButton("simulate-incoming", ["handle": argument])
            }
        }
        await #expect(throws: DBusError.self) { try await host.pressButton("dance", [:]) }
        try await worker.end()
    }

    @Test(arguments: ["MonkeyCall", "Hotline"]) func refusals(plugin: String) async throws {
        let worker = try Worker(plugin)
        try await worker.begin()
        let host = worker.host
        host.refusal = CallError(.filteredByBlockList, "blocked")
        let refused = await #expect(throws: DBusError.self) {
            try await host.pressButton("simulate-incoming", ["handle": .string("1234")])
        }
        #expect(refused?.message.contains("blocked") == true)
        _ = try await host.pressButton("simulate-failure", ["action": .string("start")])
        await #expect(throws: DBusError.self) { try await host.perform(try start(plugin)) }
        #expect(try await host.perform(try start(plugin)) == [:])
        _ = try await host.pressButton("simulate-failure", ["action": .string("set-held")])
        await #expect(throws: DBusError.self) { try await host.perform(.setHeld(call, true)) }
        #expect(try await host.perform(.setHeld(call, true)) == [:])
        await #expect(throws: DBusError.self) {
            try await host.pressButton("simulate-failure", ["action": .string("dance")])
        }
        _ = try await host.pressButton("simulate-failure", [:])
        let uuid = call.description
        _ = try await worker.hear { if case .ended(uuid, _, "failed", _) = $0 { true } else { false } }
        try await worker.end()
    }

    @Test func grouping() async throws {
        let worker = try Worker("Hotline")
        try await worker.begin()
        let host = worker.host
        let other = CallID(high: 1, low: 2)
        for call in [call, other] {
            let start = CallAction.start(call, StartRequest(try handle("Hotline")))
            #expect(try await host.perform(start) == [:])
        }
        #expect(try await host.perform(.setGroup(call, with: other)) == [:])
        #expect(try await host.perform(.setGroup(call, with: nil)) == [:])
        await #expect(throws: DBusError.self) { try await host.perform(.setGroup(CallID(high: 5, low: 6), with: call)) }
        try await worker.end()
    }

    @Test func refusedHello() async throws {
        let worker = try Worker("Hotline", refusing: CallError(.notSupported, "protocol 1 is too old"))
        #expect(try await worker.exit() == .exited(2))
        #expect(worker.host.heard.pending.count == 1)
    }
}
