// Transactions of several actions, told as a whole and performed one by one.

import CallModel
import CallWire
import DBus
import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import OpenCallKit

@Suite(.inTurn, .timeLimit(.minutes(15))) @LoopActor struct WholeTransactionTests {
    private let call = CallID(high: 7, low: 7)
    private let name = UUID().uuidString

    private func transaction(_ session: Session) async throws -> CXTransaction {
        guard case .execute(let transaction) = try await session.asked.next() else {
            throw DBusError("", "the transaction was not offered first")
        }
        return transaction
    }

    @Test func areTheVeryActionsThatAreDueLater() async throws {
        let session = try await Session()
        let (host, call, name) = (session.host, call, name)
        async let first = host.perform(
            .setMuted(call, true), of: name, part: .first([.setHeld(call, true), .end(call, reason: "")]))
        let transaction = try await transaction(session)
        #expect(transaction.uuid == UUID(uuidString: name))
        #expect(
            transaction.actions.map { "\(type(of: $0))" } == [
                "CXSetMutedCallAction", "CXSetHeldCallAction", "CXEndCallAction",
            ])
        #expect(session.provider.pendingTransactions.first === transaction)
        #expect(transaction.actions[0].timeoutDate < .distantFuture)
        #expect(transaction.actions[1].timeoutDate == .distantFuture)
        #expect(try await session.asked.action() === transaction.actions[0])
        transaction.actions[0].fulfill()
        _ = try await first
        async let second = host.perform(.setHeld(call, true), of: name, part: .following(1))
        #expect(try await session.asked.action() === transaction.actions[1])
        #expect(transaction.actions[1].timeoutDate < .distantFuture)
        transaction.actions[1].fulfill()
        _ = try await second
        async let third = host.perform(.end(call, reason: ""), of: name, part: .following(2))
        #expect(try await session.asked.action() === transaction.actions[2])
        #expect(!transaction.isComplete)
        transaction.actions[2].fail()
        let refused = try? await third
        #expect(refused == nil)
        #expect(transaction.isComplete)
        try await session.end()
    }

    @Test func whatIsLeftOutIsNotNeeded() async throws {
        let session = try await Session(executes: true)
        let (host, call, name) = (session.host, call, name)
        async let first = host.perform(
            .setMuted(call, true), of: name, part: .first([.setHeld(call, true), .end(call, reason: "")]))
        let transaction = try await transaction(session)
        for action in transaction.actions { action.fulfill() }
        _ = try await first
        _ = try await host.perform(.end(call, reason: ""), of: name, part: .following(2))
        host.tell(ProviderMember.Delegate.transactionEnded, name, ["failed": Variant.bool(true)])
        async let next = host.perform(.answer(call))
        let other = try await self.transaction(session)
        #expect(other.actions.count == 1, "nothing of the first had timed out")
        other.actions[0].fulfill()
        _ = try await next
        try await session.end()
    }

    @Test func theRestFailsWithTheTransaction() async throws {
        let session = try await Session(executes: true)
        let (host, call, name) = (session.host, call, name)
        async let first = host.perform(
            .setMuted(call, true), of: name, part: .first([.setHeld(call, true), .end(call, reason: "")]))
        let transaction = try await transaction(session)
        transaction.actions[2].fulfill()
        transaction.actions[0].fail()
        let refused = try? await first
        #expect(refused == nil)
        host.tell(ProviderMember.Delegate.transactionEnded, name, ["failed": Variant.bool(true)])
        #expect(try await session.asked.timedOut() === transaction.actions[1])
        #expect(try await session.asked.timedOut() === transaction.actions[2])
        #expect(transaction.isComplete)
        #expect(session.provider.pendingTransactions.isEmpty)
        transaction.actions[1].fulfill()
        try await session.end()
    }

    @Test func aResetForgetsTheRest() async throws {
        let session = try await Session(executes: true)
        let (host, call, name) = (session.host, call, name)
        let wire = PerformWire(
            id: "1", action: .answer(call), transaction: name, deadline: 0, part: .first([.setMuted(call, true)]))
        host.tell(
            ProviderMember.Delegate.perform, wire.id, wire.kind, wire.call, wire.transaction, wire.deadline,
            wire.details)
        let transaction = try await transaction(session)
        host.tell(ProviderMember.Delegate.reset)
        try await session.asked.reset()
        #expect(transaction.isComplete)
        async let reply = host.perform(.setMuted(call, true), of: name, part: .following(1))
        let stray = try await self.transaction(session)
        #expect(stray.actions.count == 1 && stray.actions[0] !== transaction.actions[1])
        #expect(stray.uuid != transaction.uuid)
        stray.actions[0].fulfill()
        _ = try await reply
        try await session.end()
    }

    @Test func nonsenseIsOneOfItsOwn() async throws {
        let session = try await Session()
        for number in [1, 2, UInt32.max] {
            async let reply = session.host.perform(.answer(call), of: name, part: .following(number))
            let action = try await session.asked.action()
            action.fulfill()
            _ = try await reply
        }
        let details: VariantDictionary = ["following": "x"]
        let refused = await session.host.ask(
            ProviderMember.Delegate.perform, "1", "answer", call.description, name, UInt64(0), details)
        #expect(throws: DBusError.self) { try refused.get() }
        try await session.end()
    }

    /// What waited for a delegate comes before what happens while it is set.
    @Test func nothingOvertakesWhatWaitedForTheDelegate() async throws {
        let session = try await Session()
        for _ in 0..<20 {
            let provider = CXProvider(configuration: CXProviderConfiguration(localizedName: "Late"))
            _ = try await session.host.heard.next { if case .registered = $0 { true } else { false } }
            let heard = Mutex<[Int]>([])
            let (count, total) = (2_000, 4_000)
            let delegate = MinimalDelegate()
            for number in 0..<count { provider.deliver { _, _ in heard.withLock { $0.append(number) } } }
            DispatchQueue.concurrentPerform(iterations: 2) { which in
                guard which == 0 else { return provider.setDelegate(delegate, queue: Session.queue) }
                for number in count..<total { provider.deliver { _, _ in heard.withLock { $0.append(number) } } }
            }
            await withCheckedContinuation { done in Session.queue.async { done.resume() } }
            let numbers = heard.withLock { $0 }.filter { $0 < total }
            #expect(numbers == Array(0..<total))
            // The next test's host is the same, and is not to hear of these providers.
            provider.invalidate()
            _ = try await session.host.heard.next { $0 == .invalidated }
            withExtendedLifetime(delegate) {}
        }
        try await session.end()
    }
}
