// The imitation of a layer with async functions and an actor at work.

import OpenCallKitPort
import OpenCallKitTestKit
import Testing

@testable import Ports6

@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncLayerTests {
    @Test func calls() async throws {
        try await TestHost.run { @MainActor host in
            let network = CallNetwork()
            let coordinator = CallCoordinator(network: network)
            try await host.settle()

            let incoming = UUID()
            await network.receiveCall(incoming, from: "ada")
            try await host.wait(for: "the call") { host.call(incoming)?.state == .ringing }
            let first = try #require(host.call(incoming))
            try await first.answer()
            #expect(first.state == .active && coordinator.lines.map(\.state) == [.active])
            try await host.settle()
            #expect(coordinator.hasAudio)

            let outgoing = try await coordinator.start("bob")
            await network.farSideAnswers(outgoing)
            try await host.wait(for: "the far side") { host.call(outgoing)?.state == .active }
            #expect(first.state == .held)
            #expect(await network.held == [incoming])
            try await coordinator.setHeld(incoming, false)
            try await host.wait(for: "the first call") { host.call(incoming)?.state == .active }
            #expect(await network.held == [outgoing])
            try await coordinator.end(incoming)
            try await host.wait(for: "the end") { host.call(incoming)?.state == .ended }
            await network.farSideHangsUp(outgoing)
            try await host.wait(for: "the far side's end") { host.call(outgoing)?.state == .ended }
            #expect(host.call(outgoing)?.endReason == "remote-ended")
            try await host.settle()
            #expect(coordinator.lines.isEmpty && host.anomalies == [])
        }
    }

    @Test func failures() async throws {
        try await TestHost.run { @MainActor host in
            let network = CallNetwork()
            let coordinator = CallCoordinator(network: network)
            try await host.settle()
            await network.setReachable(false)
            let call = try await coordinator.start("bob")
            try await host.wait(for: "the failure") { host.call(call)?.state == .ended }
            #expect(host.call(call)?.endReason == "failed")
            try await host.setDoNotDisturb(true)
            await network.receiveCall(UUID(), from: "eve")
            try await host.wait(for: "the refusal") { host.transcript.contains { $0.contains("filtered ") } }
            while await !network.calls.isEmpty { await Task.yield() }
            #expect(coordinator.lines.isEmpty && host.calls.isEmpty)
        }
    }
}
