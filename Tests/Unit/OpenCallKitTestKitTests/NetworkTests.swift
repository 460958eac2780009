// Transfers, ongoing calls and exchanges, which CallKit has no words for.

import OpenCallKit
import OpenCallKitTestKit
import Testing

private let ada = CXHandle(type: .generic, value: "ada")
private let bob = CXHandle(type: .generic, value: "bob")

@Suite struct NetworkTests {
    @Test func aCallIsTransferred() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let call = try await phone.ring(from: ada, in: host)
            try await call.answer()
            #expect(call.can.contains("transfer"))
            try await call.transfer(to: bob)
            #expect(call.endReason == "transferred" && call.endedBy == "user")
            #expect(phone.heard.suffix(2) == ["transfer bob", "deactivated"])
        }
    }

    @Test func twoCallsAreConnectedWithEachOther() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let one = try await phone.ring(from: ada, in: host)
            try await one.answer()
            let two = try await phone.ring(from: bob, in: host)
            try await two.answer()
            phone.keepActions()
            let request = try await two.transfer(to: one, until: .accepted)
            #expect(request.outcome == .pending && phone.heard.last == "transfer to a call")
            for action in phone.takeKept() { action.fulfill() }
            try await host.settle()
            #expect(request.outcome == .performed && host.calls.isEmpty)
            #expect([one, two].allSatisfy { $0.endReason == "transferred" })
        }
    }

    @Test func aTransferThatFailsChangesNothing() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let call = try await phone.ring(from: ada, in: host)
            try await call.answer()
            phone.keepActions()
            let request = try await call.transfer(to: bob, until: .accepted)
            for action in phone.takeKept() { action.fail(as: .busy, "bob is busy") }
            try await host.settle()
            guard case .failed(let error) = request.outcome else {
                Issue.record("\(request.outcome)")
                return
            }
            #expect(error.message.contains("bob is busy") && call.state == .active)
        }
    }

    @Test func aNetworkTellsWhyACallEnds() async throws {
        try await TestHost.run { host in
            let (phone, update) = (Phone(), CXCallUpdate())
            let call = try await host.startCall(to: bob)
            update.progress = .alerting
            phone.provider.reportCall(with: call.uuid, updated: update)
            try await host.settle()
            #expect(call.progress == .alerting && call.endDetail == nil && call.endCode.isEmpty)
            let busy = CXCallEndedDetails(reason: .busy, code: "W 17")
            phone.provider.reportCall(with: call.uuid, endedAt: nil, reason: .failed, details: busy)
            try await host.settle()
            #expect(call.endReason == "failed" && call.endDetail == .busy && call.endCode == "W 17")
        }
    }

    @Test func theFarSideAsksForATransfer() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let call = try await phone.ring(from: ada, in: host)
            try await call.answer()
            await #expect(throws: CXErrorCodeRequestTransactionError.self) { try await call.declineTransfer() }
            for (answer, heard) in [(call.declineTransfer, "no transfer"), (call.acceptTransfer, "transfer to bob")] {
                let update = CXCallUpdate()
                update.transferRequest = .to(bob)
                phone.provider.reportCall(with: call.uuid, updated: update)
                try await host.settle()
                #expect(call.transferRequest == bob && call.can.contains("answer-transfer"))
                _ = try await answer(.performed)
                #expect(phone.heard.last == heard && call.transferRequest == nil && call.state == .active)
            }
        }
    }

    @Test func anotherProvidersCallIsTransferred() async throws {
        try await TestHost.run { host in
            let other = try await host.addProvider("Other")
            let call = try await other.receiveCall(from: ada)
            try await call.answer()
            try await call.transfer(to: bob)
            #expect(call.endReason == "transferred")
            #expect(await other.heard.contains { $0.hasPrefix("perform transfer") })
        }
    }

    @Test func anOngoingCallOfOursIsActive() async throws {
        try await TestHost.run(startingAt: Date(timeIntervalSince1970: 1_000)) { host in
            let phone = Phone()
            let call = try await phone.bring(ada, in: host)
            #expect(call.state == .active && call.isOutgoing && call.handle == ada)
            #expect(try #require(call.dateConnected) == host.now.addingTimeInterval(-60))
            #expect(phone.heard == ["begin", "activated"])
        }
    }

    @Test func anOngoingCallOfOursIsHeldWhileAnotherIsActive() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let theirs = try await host.addProvider("Other").receiveCall()
            try await theirs.answer()
            let ours = try await phone.bring(ada, in: host)
            #expect(ours.state == .held && ours.heldBy == "arbiter" && theirs.state == .active)
            try await theirs.end()
            #expect(ours.state == .active)
            #expect(phone.heard == ["begin", "held true", "held false", "activated"])
        }
    }

    @Test func anOngoingCallOfTheirsIsHeldWhileOursIsActive() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let ours = try await phone.ring(from: ada, in: host)
            try await ours.answer()
            let other = try await host.addProvider("Other")
            let theirs = try await other.reportOngoingCall(with: bob, isOutgoing: true)
            #expect(theirs.state == .held && theirs.isOutgoing && theirs.handle == bob && ours.state == .active)
            let held = try await other.reportOngoingCall(isOnHold: true)
            #expect(held.state == .held && held.heldBy == "provider" && !held.isOutgoing)
            await #expect(throws: TestHostError.self) { try await other.reportOngoingCall(uuid: ours.uuid) }
            await other.set(.refuses)
            let unheld = try await other.reportOngoingCall()
            #expect(unheld.endReason == "displaced" && ours.state == .active)
        }
    }

    /// Holding the modem's active call would let its other one be heard.
    @Test func aNetworkThatOnlyExchangesIsInTheWay() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let modem = try await host.addProvider("Modem", holdModel: .swap)
            let first = try await modem.reportOngoingCall(with: ada)
            let second = try await modem.receiveCall(from: bob)
            try await second.answer()
            #expect(first.state == .held && second.state == .active)
            let ours = try await phone.ring(from: ada, in: host)
            await #expect(throws: CXErrorCodeRequestTransactionError.self) { try await ours.answer() }
            #expect(ours.state == .ringing && phone.heard == ["begin"])
            try await second.hold()
            #expect(first.state == .active && second.state == .held)
        }
    }
}
