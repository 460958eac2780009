// What an observer costs, and what it makes of what it is told.

import CallModel
import CallWire
import DBus
import EventLoop
import TestSupport
import Testing

@testable import OpenCallKit

private final class Witness: CXCallObserverDelegate, Sendable {
    let changes: Inbox<CXCall>

    init(_ changes: Inbox<CXCall>) { self.changes = changes }

    func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall) {
        Loop.shared.post { [changes] in changes.put(call) }
    }
}

extension SDKTests {
    @Suite @LoopActor struct Observers {
        private let root: ObjectPath = "/org/opencallkit/CallSystem1"
        private let manager = StandardInterface.objectManager

        private func path(_ call: CallID) throws -> ObjectPath { try #require(ObjectPath(Contract.path(of: call))) }

        private func properties(_ state: String, ended: Bool = false) -> VariantDictionary {
            ["State": .string(state), "Direction": .string("incoming"), "EndedAt": .uint64(ended ? 9 : 0)]
        }

        /// Waits until the host was asked to tell, or not to tell, of calls.
        private func asked(_ observing: Bool, _ host: ScriptedHost) async throws {
            _ = try await host.heard.next { $0 == .observing(observing) }
        }

        @Test func hostIsAskedOnDemandAndUntilTheLastObserverGoes() async throws {
            let host = try ScriptedHost.fresh()
            var controller: CXCallController? = CXCallController()
            try await controller?.requestTransaction(with: CXEndCallAction(call: UUID()))
            #expect(!host.heard.pending.contains(.observing(true)))
            var observer: CXCallObserver? = CXCallObserver()
            #expect(controller?.callObserver === controller?.callObserver && controller?.callObserver !== observer)
            try await asked(true, host)
            observer = nil
            try await controller?.requestTransaction(with: CXEndCallAction(call: UUID()))
            #expect(!host.heard.pending.contains(.observing(false)), "the controller's is left")
            #expect(!host.heard.pending.contains(.observing(true)), "a ping tells that all has been seen")
            controller = nil
            try await asked(false, host)
        }

        /// A dispatch group that is never left outlives its observer for good.
        @Test func anObserverReleasedBeforeTheFirstAnswerLeavesItsGroup() async throws {
            _ = try ScriptedHost.fresh()
            var observer: CXCallObserver? = CXCallObserver()
            let arrival = try #require(observer?.arrival)
            observer = nil
            await withCheckedContinuation { done in arrival.notify(queue: .global()) { done.resume() } }
        }

        @Test func signalsBecomeChanges() async throws {
            let host = try ScriptedHost.fresh()
            let (observer, changes) = (CXCallObserver(), Inbox<CXCall>())
            let witness = Witness(changes)
            observer.setDelegate(witness, queue: Session.queue)
            try await asked(true, host)
            let (one, other) = (CallID(high: 1, low: 1), CallID(high: 1, low: 2))
            let added = [Contract.call: properties("ringing")]
            host.signal(from: root, manager, "InterfacesAdded", try path(one), added)
            #expect(try await changes.next().state == .ringing)
            // Told once more, or of what is no call, or of no call known: no change.
            host.signal(from: root, manager, "InterfacesAdded", try path(one), added)
            host.signal(from: root, manager, "InterfacesAdded", root, added)
            host.signal(from: root, manager, "InterfacesAdded", 7 as UInt32)
            host.signal(
                from: try path(other), StandardInterface.properties, "PropertiesChanged", Contract.call,
                ["State": Variant.string("active")], [String]())
            host.signal(
                from: try path(one), StandardInterface.properties, "PropertiesChanged", Contract.call,
                ["Muted": Variant.bool(true)], [String]())
            host.signal(
                from: try path(one), StandardInterface.properties, "PropertiesChanged", Contract.call,
                ["State": Variant.string("active"), "ConnectedAt": .uint64(7)], [String]())
            let active = try await changes.next()
            #expect(active.state == .active && active.hasConnected && active.uuid == UUID(one))
            #expect(observer.calls == [active])
            // Gone without having ended, as far as was seen.
            host.signal(from: root, manager, "InterfacesRemoved", try path(one), [Contract.call])
            let gone = try await changes.next()
            #expect(gone.hasEnded && gone.state == .ended && gone.hasConnected && observer.calls.isEmpty)
            observer.setDelegate(nil, queue: nil)
            let (second, seconds) = (CXCallObserver(), Inbox<CXCall>())
            let secondWitness = Witness(seconds)
            second.setDelegate(secondWitness, queue: Session.queue)
            host.signal(from: root, manager, "InterfacesAdded", try path(other), added)
            #expect(try await seconds.next().uuid == UUID(other))
            #expect(changes.pending.isEmpty, "it has no delegate any more")
        }
    }
}
