// What a provider is asked to do, and how its answers travel.

import CallModel
import CallWire
import DBus
import EventLoop
import TestSupport
import Testing

@testable import OpenCallKit

extension SDKTests {
    @Suite @LoopActor struct Performs {
        private let call = CallID(high: 0xABCD_EF01_2345_4789, low: 0x8BCD_EF01_2345_6789)
        private let other = CallID(high: 1, low: 2)

        @Test func kinds() async throws {
            let session = try await Session(onPerform: { $0.fulfill() })
            let handle = try Handle(type: .emailAddress, value: "a@b.c")
            let uuid = UUID(call)

            _ = try await session.host.perform(
                .start(call, StartRequest(handle, video: true, contact: "contact 7")))
            let start = try #require(try await session.asked.action() as? CXStartCallAction)
            #expect(start.callUUID == uuid)
            #expect(start.handle == CXHandle(type: .emailAddress, value: "a@b.c"))
            #expect(start.isVideo)
            #expect(start.contactIdentifier == "contact 7")
            #expect(start.timeoutDate == Date(timeIntervalSince1970: 1_900_000_000))

            _ = try await session.host.perform(.answer(call))
            #expect((try await session.asked.action() as? CXAnswerCallAction)?.callUUID == uuid)

            _ = try await session.host.perform(.end(call, reason: "busy"))
            #expect((try await session.asked.action() as? CXEndCallAction)?.reason == "busy")

            for onHold in [true, false] {
                _ = try await session.host.perform(.setHeld(call, onHold))
                #expect((try await session.asked.action() as? CXSetHeldCallAction)?.isOnHold == onHold)
                _ = try await session.host.perform(.setMuted(call, onHold))
                #expect((try await session.asked.action() as? CXSetMutedCallAction)?.isMuted == onHold)
            }

            _ = try await session.host.perform(.setGroup(call, with: other))
            #expect(
                (try await session.asked.action() as? CXSetGroupCallAction)?.callUUIDToGroupWith == UUID(other))
            _ = try await session.host.perform(.setGroup(call, with: nil))
            #expect((try await session.asked.action() as? CXSetGroupCallAction)?.callUUIDToGroupWith == nil)

            _ = try await session.host.perform(.playDTMF(call, digits: "12#", tone: .hardPause))
            let tones = try #require(try await session.asked.action() as? CXPlayDTMFCallAction)
            #expect(tones.digits == "12#")
            #expect(tones.type == .hardPause)

            _ = try await session.host.perform(.setTranslating(call, true, Languages(local: "en-GB", remote: "sv")))
            let wanted = try #require(try await session.asked.action() as? CXSetTranslatingCallAction)
            #expect(wanted.isTranslating && wanted.localLanguage == "en-GB" && wanted.remoteLanguage == "sv")
            try await session.end()
        }

        @Test func dates() async throws {
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            let session = try await Session(onPerform: { action in
                switch action {
                case let action as CXStartCallAction: action.fulfill(withDateStarted: date)
                case let action as CXAnswerCallAction: action.fulfill(withDateConnected: date)
                case let action as CXEndCallAction: action.fulfill(withDateEnded: date)
                default: action.fulfill()
                }
            })
            let handle = try Handle(type: .generic, value: "a")
            let start = CallAction.start(call, StartRequest(handle))
            for action in [start, .answer(call), .end(call, reason: "")] {
                #expect(try await session.host.perform(action) == ["date": .uint64(1_700_000_000_000_000)])
            }
            #expect(try await session.host.perform(.setHeld(call, true)) == [:])
            try await session.end()
        }

        @Test func failure() async throws {
            let session = try await Session(onPerform: { $0.fail() })
            let error = await #expect(throws: DBusError.self) { try await session.host.perform(.answer(call)) }
            #expect(error?.name == ErrorCode.actionFailed.busName)
            #expect(try await session.asked.action().isComplete)
            try await session.end()
        }

        @Test func answersTwice() async throws {
            let session = try await Session(onPerform: { action in
                action.fulfill()
                action.fail()
                action.fulfill()
            })
            for id in [CallID(high: 1, low: 1), CallID(high: 1, low: 2)].map(\.description) {
                #expect(try await session.host.perform(.answer(call), id: id) == [:])
                for _ in 1...2 { _ = try await session.host.heard.next { $0 == .secondAnswer(to: id) } }
            }
            try await session.end()
        }

        @Test func missingMethods() async throws {
            let session = try await Session()
            let minimal = MinimalDelegate()
            session.provider.setDelegate(minimal, queue: Session.queue)
            let error = await #expect(throws: DBusError.self) { try await session.host.perform(.setMuted(call, true)) }
            #expect(error?.name == ErrorCode.notSupported.busName)
            withExtendedLifetime(minimal) {}
            try await session.end()
        }

        @Test func delegateIsGone() async throws {
            let session = try await Session()
            session.provider.setDelegate(MinimalDelegate(), queue: Session.queue)
            let error = await #expect(throws: DBusError.self) { try await session.host.perform(.answer(call)) }
            #expect(error?.name == ErrorCode.actionFailed.busName)
            try await session.end()
        }

        @Test func wholeTransaction() async throws {
            let session = try await Session(executes: true)
            let host = session.host
            let action = call
            async let reply = host.perform(.answer(action))
            guard case .execute(let transaction) = try await session.asked.next() else {
                Issue.record("the transaction was not offered first")
                return
            }
            #expect(transaction.actions.count == 1)
            #expect(session.provider.pendingTransactions.map(\.uuid) == [transaction.uuid])
            transaction.actions.first?.fulfill()
            _ = try await reply
            #expect(transaction.isComplete)
            #expect(session.asked.pending.isEmpty)
            try await session.end()
        }

        @Test func pendingActions() async throws {
            let session = try await Session()
            let host = session.host
            let action = call
            async let reply = host.perform(.setHeld(action, true))
            let asked = try await session.asked.action()
            let provider = session.provider
            #expect(provider.pendingCallActions(of: CXSetHeldCallAction.self, withCall: UUID(call)).first === asked)
            #expect(provider.pendingCallActions(of: CXAnswerCallAction.self, withCall: UUID(call)).isEmpty)
            #expect(provider.pendingCallActions(of: CXSetHeldCallAction.self, withCall: UUID()).isEmpty)
            DispatchQueue.global().async { asked.fulfill() }
            _ = try await reply
            #expect(provider.pendingTransactions.isEmpty)
            try await session.end()
        }

        @Test func malformed() async throws {
            let session = try await Session()
            func ask(_ kind: String, _ call: String) async -> Result<Message, DBusError> {
                await session.host.ask(
                    ProviderMember.Delegate.perform, "1", kind, call, "", UInt64(0), VariantDictionary())
            }
            let unknown = await ask("dance", call.description)
            #expect(throws: DBusError.self) { try unknown.get() }
            if case .failure(let error) = unknown { #expect(error.name == ErrorCode.notSupported.busName) }
            let incomplete = await ask("answer", "")
            #expect(throws: DBusError.self) { try incomplete.get() }
            if case .failure(let error) = incomplete { #expect(error.name == ErrorCode.invalidArguments.busName) }
            let wrong = await session.host.ask(ProviderMember.Delegate.perform, UInt32(1))
            #expect(throws: DBusError.self) { try wrong.get() }
            if case .failure(let error) = wrong { #expect(error.name == ErrorCode.invalidArguments.busName) }
            #expect(session.asked.pending.isEmpty)
            try await session.end()
        }
    }
}
