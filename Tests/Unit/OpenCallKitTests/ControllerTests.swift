// What an app requests.

import CallModel
import CallWire
import DBus
import EventLoop
import TestSupport
import Testing

@testable import OpenCallKit

extension SDKTests {
    @Suite @LoopActor struct Controller {
        private let controller = CXCallController()

        @Test func actions() async throws {
            let session = try await Session()
            let (one, other) = (UUID(), UUID())
            let start = CXStartCallAction(call: one, handle: CXHandle(type: .phoneNumber, value: "1234"))
            start.isVideo = true
            start.contactIdentifier = "contact 7"
            let transaction = CXTransaction(actions: [start, CXAnswerCallAction(call: other)])
            transaction.addAction(CXEndCallAction(call: one))
            transaction.addAction(CXSetHeldCallAction(call: one, onHold: true))
            transaction.addAction(CXSetMutedCallAction(call: one, muted: true))
            transaction.addAction(CXSetGroupCallAction(call: one, callUUIDToGroupWith: other))
            transaction.addAction(CXSetGroupCallAction(call: one, callUUIDToGroupWith: nil))
            transaction.addAction(CXPlayDTMFCallAction(call: one, digits: "1", type: .softPause))
            transaction.addAction(
                CXSetTranslatingCallAction(call: one, isTranslating: true, localLanguage: "en-GB", remoteLanguage: "sv")
            )
            try await controller.request(transaction)
            guard case .requested(let entries, let options) = try await session.host.heard.next() else {
                Issue.record("something else was said")
                return
            }
            #expect(try RequestOptions(wire: options).replyMode == .accepted)
            let (a, b) = (CallID(one), CallID(other))
            let handle = try Handle(type: .phoneNumber, value: "1234")
            let read = try TransactionWire.actions(from: entries) { CallID(high: 0, low: 0) }
            #expect(
                read == [
                    .start(a, StartRequest(handle, provider: ProviderID("Test"), video: true, contact: "contact 7")),
                    .answer(b),
                    .end(a, reason: ""), .setHeld(a, true), .setMuted(a, true), .setGroup(a, with: b),
                    .setGroup(a, with: nil), .playDTMF(a, digits: "1", tone: .softPause),
                    .setTranslating(a, true, Languages(local: "en-GB", remote: "sv")),
                ])
            try await session.end()
        }

        @Test(arguments: [
            (ErrorCode.unknownCall, CXErrorCodeRequestTransactionError.unknownCallUUID),
            (.unknownProvider, .unknownCallProvider), (.emptyTransaction, .emptyTransaction),
            (.callUUIDAlreadyExists, .callUUIDAlreadyExists), (.cannotHoldActiveCall, .invalidAction),
            (.maximumCallGroupsReached, .maximumCallGroupsReached), (.accessDenied, .unentitled),
        ]) func refusals(code: ErrorCode, expected: CXErrorCodeRequestTransactionError.Code) async throws {
            let session = try await Session()
            session.host.refusal = CallError(code, "no")
            let error = await #expect(throws: CXErrorCodeRequestTransactionError.self) {
                try await controller.requestTransaction(with: CXEndCallAction(call: UUID()))
            }
            #expect(error?.code == expected)
            #expect(error?.errorCode == expected.rawValue)
            try await session.end()
        }

        @Test func completionComesOnItsQueue() async throws {
            let session = try await Session()
            let queue = DispatchQueue(label: "org.opencallkit.test.controller")
            let key = DispatchSpecificKey<Bool>()
            queue.setSpecific(key: key, value: true)
            let results = Inbox<Bool>()
            CXCallController(queue: queue).request(CXTransaction(action: CXEndCallAction(call: UUID()))) { error in
                let right = error == nil && DispatchQueue.getSpecific(key: key) == true
                Loop.shared.post { results.put(right) }
            }
            #expect(try await results.next())
            try await session.end()
        }

        @Test func withoutAProvider() async throws {
            let host = try ScriptedHost.fresh()
            let handle = CXHandle(type: .generic, value: "a")
            try await controller.requestTransaction(with: CXStartCallAction(call: UUID(), handle: handle))
            guard
                case .requested(let entries, _) = try await host.heard.next(where: {
                    if case .requested = $0 { true } else { false }
                })
            else { return }
            #expect(entries.first?.fields.1["provider"] == nil)
        }

        @Test func unsendable() async throws {
            let host = try ScriptedHost.fresh()
            await #expect(throws: CXErrorCodeRequestTransactionError.self) {
                try await controller.requestTransaction(
                    with: CXPlayDTMFCallAction(call: UUID(), digits: "x", type: .singleTone))
            }
            await #expect(throws: CXErrorCodeRequestTransactionError.self) {
                try await controller.requestTransaction(with: CXAction())
            }
            await loopTurn()
            #expect(!host.heard.pending.contains { if case .requested = $0 { true } else { false } })
        }
    }
}
