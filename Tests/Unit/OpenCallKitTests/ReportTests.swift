// The reports of a provider and their answers.

import CallModel
import CallWire
import DBus
import EventLoop
import TestSupport
import Testing

@testable import OpenCallKit

extension SDKTests {
    @Suite @LoopActor struct Reports {
        private let uuid = UUID(CallID(high: 0xABCD_EF01_2345_4789, low: 0x8BCD_EF01_2345_6789))
        private let text = "abcdef01-2345-4789-8bcd-ef0123456789"

        private func update(_ value: String = "1234") -> CXCallUpdate {
            let update = CXCallUpdate()
            update.remoteHandle = CXHandle(type: .phoneNumber, value: value)
            return update
        }

        @Test func orderAndContents() async throws {
            let session = try await Session()
            let changed = CXCallUpdate()
            changed.localizedCallerName = "Ada"
            changed.supportsHolding = false
            changed.isRemoteHeld = true
            let provider = session.provider
            provider.reportNewIncomingCall(with: uuid, update: update()) { _ in }
            provider.reportCall(with: uuid, updated: changed)
            provider.reportOutgoingCall(with: uuid, startedConnectingAt: nil)
            provider.reportOutgoingCall(with: uuid, connectedAt: Date(timeIntervalSince1970: 12.000_001))
            provider.reportCall(with: uuid, endedAt: Date(timeIntervalSince1970: 13), reason: .answeredElsewhere)
            let heard = session.host.heard
            #expect(
                try await heard.next()
                    == .incoming(text, ["remote-handle": Variant(Struct("phone-number", "1234"))]))
            #expect(
                try await heard.next()
                    == .updated(
                        text,
                        [
                            "localized-caller-name": .string("Ada"), "supports-holding": .bool(false),
                            "remote-held": .bool(true),
                        ]))
            #expect(try await heard.next() == .connecting(text, at: 0))
            #expect(try await heard.next() == .connected(text, at: 12_000_001))
            #expect(try await heard.next() == .ended(text, at: 13_000_000, "answered-elsewhere", [:]))
            try await session.end()
        }

        @Test func anEndWithDetailsKeepsItsPlace() async throws {
            let session = try await Session()
            let (provider, busy) = (session.provider, CXCallEndedDetails(reason: .busy, code: "SIP 486"))
            provider.reportOutgoingCall(with: uuid, startedConnectingAt: nil)
            provider.reportCall(with: uuid, endedAt: nil, reason: .failed, details: busy)
            provider.reportNewIncomingCall(with: uuid, update: update()) { _ in }
            let heard = session.host.heard
            #expect(try await heard.next() == .connecting(text, at: 0))
            #expect(
                try await heard.next()
                    == .ended(text, at: 0, "failed", ["end-detail": .string("busy"), "end-code": .string("SIP 486")]))
            guard case .incoming = try await heard.next() else {
                Issue.record("the next report overtook the end")
                return
            }
            try await session.end()
        }

        @Test func reportsWaitForTheRegistration() async throws {
            let host = try ScriptedHost.fresh()
            let provider = CXProvider(configuration: CXProviderConfiguration(localizedName: "Hasty"))
            provider.reportOutgoingCall(with: uuid, startedConnectingAt: nil)
            provider.reportOutgoingCall(with: uuid, connectedAt: nil)
            guard case .registered = try await host.heard.next() else {
                Issue.record("a report overtook the registration")
                return
            }
            #expect(try await host.heard.next() == .connecting(text, at: 0))
            #expect(try await host.heard.next() == .connected(text, at: 0))
            provider.invalidate()
            #expect(try await host.heard.next() == .invalidated)
        }

        @Test(arguments: [
            (ErrorCode.filteredByBlockList, CXErrorCodeIncomingCallError.filteredByBlockList),
            (.filteredByDoNotDisturb, .filteredByDoNotDisturb), (.callUUIDAlreadyExists, .callUUIDAlreadyExists),
            (.emergencyInProgress, .callIsProtected), (.limitsExceeded, .unknown),
        ]) func refusals(code: ErrorCode, expected: CXErrorCodeIncomingCallError.Code) async throws {
            let session = try await Session()
            session.host.refusal = CallError(code, "not now")
            let error = await #expect(throws: CXErrorCodeIncomingCallError.self) {
                try await session.provider.reportNewIncomingCall(with: uuid, update: update())
            }
            #expect(error?.code == expected)
            #expect(error?.message == "not now")
            try await session.end()
        }

        @Test func completionComesOnTheDelegateQueue() async throws {
            let session = try await Session()
            let key = DispatchSpecificKey<Bool>()
            Session.queue.setSpecific(key: key, value: true)
            let results = Inbox<Bool>()
            session.provider.reportNewIncomingCall(with: uuid, update: update()) { error in
                let right = error == nil && DispatchQueue.getSpecific(key: key) == true
                Loop.shared.post { results.put(right) }
            }
            #expect(try await results.next())
            try await session.end()
        }

        @Test func unacceptableHandleIsNotSent() async throws {
            let session = try await Session()
            await #expect(throws: CXErrorCodeIncomingCallError.self) {
                try await session.provider.reportNewIncomingCall(with: uuid, update: update("1\u{7}2"))
            }
            session.provider.reportCall(with: uuid, updated: update(""))
            try await session.end()
            #expect(session.host.heard.pending == [])
        }

        @Test func fromManyThreads() async throws {
            let session = try await Session()
            let provider = session.provider
            let uuids = (0..<200).map { _ in UUID() }
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: uuids.count) {
                    provider.reportOutgoingCall(with: uuids[$0], connectedAt: nil)
                }
            }
            var heard: Set<String> = []
            for _ in uuids {
                if case .connected(let uuid, _) = try await session.host.heard.next() { heard.insert(uuid) }
            }
            #expect(heard == Set(uuids.map(\.wire)))
            try await session.end()
        }
    }
}
