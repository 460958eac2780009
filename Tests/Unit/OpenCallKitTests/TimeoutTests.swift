// Deadlines that pass, resets, and the audio.

import CallModel
import CallWire
import DBus
import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import OpenCallKit

extension SDKTests {
    @Suite @LoopActor struct Timeouts {
        private let call = CallID(high: 3, low: 4)

        @Test func lateAnswer() async throws {
            let session = try await Session()
            let host = session.host
            let action = call
            async let reply = host.perform(.setHeld(action, true), id: "slow")
            let asked = try await session.asked.action()
            host.tell(ProviderMember.Delegate.timedOut, "slow")
            #expect(try await session.asked.timedOut() === asked)
            #expect(asked.isComplete)
            // The host has given up; it gets the answer all the same, to note it.
            asked.fulfill()
            asked.fail()
            #expect(try await reply == [:])
            try await session.end()
        }

        @Test func unknownAction() async throws {
            let session = try await Session(onPerform: { $0.fulfill() })
            session.host.tell(ProviderMember.Delegate.timedOut, "never asked")
            #expect(try await session.host.perform(.answer(call)) == [:])
            _ = try await session.asked.action()
            #expect(session.asked.pending.isEmpty)
            try await session.end()
        }

        @Test func reset() async throws {
            let session = try await Session()
            let host = session.host
            let answers = Inbox<String>()
            let wire = PerformWire(id: "open", action: .answer(call), transaction: "", deadline: 1)
            Task { @LoopActor in
                _ = await host.ask(wire)
                answers.put("answered")
            }
            let asked = try await session.asked.action()
            host.tell(ProviderMember.Delegate.reset)
            try await session.asked.reset()
            #expect(asked.isComplete)
            #expect(session.provider.pendingTransactions.isEmpty)
            asked.fulfill()
            // A later call is answered; the one before the reset never is.
            let later = await host.ask(ProviderMember.Delegate.begin)
            #expect(throws: Never.self) { try later.get() }
            #expect(answers.pending.isEmpty)
            try await session.end()
        }

        @Test func audio() async throws {
            let release = DispatchSemaphore(value: 0)
            let session = try await Session(onDeactivate: { release.wait() })
            let host = session.host
            let audio = AVAudioSession.sharedInstance()
            host.tell(ProviderMember.Delegate.audioSessionActivated, ["call-uuid": Variant.string(call.description)])
            while true {
                if case .activated = try await session.asked.next() { break }
            }
            #expect(audio.isGranted)
            let released = Inbox<Bool>()
            Task { @LoopActor in
                let reply = await host.ask(ProviderMember.Delegate.audioSessionDeactivated)
                released.put((try? reply.get()) != nil)
            }
            // The link is in order: what is answered later was asked later.
            _ = await host.ask(ProviderMember.Delegate.begin)
            #expect(released.pending.isEmpty)
            release.signal()
            #expect(try await released.next())
            #expect(!audio.isGranted)
            try await session.end()
        }
    }
}
