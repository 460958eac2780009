// Custom actions of a provider.

import CallModel
import CallWire
import DBus
import EventLoop
import TestSupport
import Testing

@testable import OpenCallKit

extension SDKTests {
    @Suite @LoopActor struct CustomActions {
        @Test func valuesBothWays() async throws {
            let session = try await Session(onPerform: { action in
                guard let action = action as? CXCustomAction else { return }
                action.fulfill(with: action.arguments)
            })
            let arguments: VariantDictionary = [
                "flag": .bool(true), "small": .byte(7), "large": .uint64(.max), "negative": .int16(-3),
                "real": .double(0.5),
                "text": .string("ä"), "path": .objectPath("/a"), "handle": Variant(Struct("generic", "a")),
                "bytes": .bytes([1, 2]), "list": Variant(["a", "b"]), "map": Variant(["k": Variant.bool(false)]),
            ]
            let reply = await session.host.ask(ProviderMember.Delegate.customAction, "nudge", arguments)
            let result = try reply.get().read(VariantDictionary.self).mapValues(CXValue.init)
            let asked = try #require(try await session.asked.action() as? CXCustomAction)
            #expect(asked.identifier == "nudge")
            let expected: [String: CXValue] = [
                "flag": true, "small": 7, "large": .unsigned(.max), "negative": -3, "real": 0.5, "text": "ä",
                "path": "/a",
                "handle": .array(["generic", "a"]), "bytes": .data([1, 2]), "list": .array(["a", "b"]),
                "map": .dictionary(["k": false]),
            ]
            #expect(asked.arguments == expected)
            #expect(result == expected)
            try await session.end()
        }

        @Test func failure() async throws {
            let session = try await Session(onPerform: { ($0 as? CXCustomAction)?.fail("the line is cut") })
            let reply = await session.host.ask(ProviderMember.Delegate.customAction, "nudge", VariantDictionary())
            let error = #expect(throws: DBusError.self) { try reply.get() }
            #expect(error == DBusError(ErrorCode.actionFailed.busName, "the line is cut"))
            try await session.end()
        }
    }
}
