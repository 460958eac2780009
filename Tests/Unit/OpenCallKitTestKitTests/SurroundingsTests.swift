// Other apps, controllers and observers, the loss of the host, and one test after another.

import OpenCallKit
import OpenCallKitTestKit
import Synchronization
import Testing

private let ada = CXHandle(type: .generic, value: "ada")

@Suite struct SurroundingsTests {
    @Test func anotherProviderRefusesAndCrashes() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let other = try await host.addProvider("Other")
            let theirs = try await other.receiveCall()
            try await theirs.answer()
            let ours = try await phone.ring(from: ada, in: host)
            await other.set(.refuses)
            await #expect(throws: CXErrorCodeRequestTransactionError.self) { try await ours.answer() }
            #expect(ours.state == .ringing && theirs.state == .active)
            await other.set(.ignores)
            let request = try await ours.answer(until: .accepted)
            #expect(request.outcome == .pending && theirs.state == .holding)
            try await other.crash()
            #expect(theirs.endReason == "provider-crashed" && host.providers == ["app_Phone"])
            #expect(request.outcome == .performed && ours.state == .active)
            #expect(await other.heard.contains { $0.hasPrefix("perform set-held") })
        }
    }

    @Test func anotherProvidersCallsGoOn() async throws {
        try await TestHost.run { host in
            let other = try await host.addProvider("Other")
            let call = try await host.startCall(to: ada, with: "Other")
            try await other.connect(call)
            let update = CXCallUpdate()
            update.isRemoteHeld = true
            try await other.update(call, update)
            #expect(call.state == .active && call.isRemoteHeld)
            try await other.end(call, reason: .failed)
            #expect(call.endReason == "failed")
            await #expect(throws: TestHostError.self) { try await other.connect(call) }
        }
    }

    /// The provider's own controller and observer, neither of which may block the main actor.
    @Test @MainActor func controllersAndObservers() async throws {
        try await TestHost.run { host in
            let (phone, controller, witness) = (Phone(), CXCallController(), Witness())
            let observer = controller.callObserver
            observer.setDelegate(witness, queue: nil)
            #expect(observer.calls.isEmpty)
            try await controller.request(CXTransaction(action: CXStartCallAction(call: UUID(), handle: ada)))
            try await host.settle()
            let other = try await host.addProvider("Other")
            let theirs = try await other.receiveCall(uuid: UUID())
            #expect(witness.states == ["starting", "started", "ringing"])
            #expect(observer.calls.map(\.uuid) == host.calls.map(\.uuid) && observer.calls.last?.uuid == theirs.uuid)
            #expect(phone.heard == ["begin", "start ada", "activated"])
        }
    }

    @Test func theHostGoesAndComes() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let call = try await phone.ring(from: ada, in: host)
            try await call.answer()
            try await host.disconnect()
            #expect(call.endReason == "provider-crashed" && host.providers.isEmpty)
            #expect(phone.heard.last == "reset" && !AVAudioSession.sharedInstance().isGranted)
            let answer = Mutex<(any Error)?>(nil)
            CXCallController().requestTransaction(with: CXEndCallAction(call: call.uuid)) { error in
                answer.withLock { $0 = error }
            }
            try await host.advance(by: .seconds(24))
            #expect(answer.withLock { $0 } == nil, "the host may come yet")
            try await host.advance(by: .seconds(1))
            #expect(answer.withLock { $0 } is CXErrorCodeRequestTransactionError)
            try await host.reconnect()
            #expect(phone.heard.last == "begin" && host.providers == ["app_Phone"])
            #expect(try await host.startCall(to: ada).state == .started)
        }
    }

    @Test func nothingIsLeftOfAnEarlierTest() async throws {
        let (earlier, observer) = try await TestHost.run(resourceDirectory: "/sounds", permissions: ["audio"]) { host in
            let (phone, observer) = (Phone(), CXCallObserver())
            try AVAudioSession.sharedInstance().setCategory(.playAndRecord)
            let call = try await phone.ring(from: ada, in: host)
            try await call.answer()
            #expect(PluginMain.resourceDirectory == "/sounds" && observer.calls.count == 1)
            #expect(PluginMain.permissions == ["audio"])
            return (phone, observer)
        }
        #expect(earlier.heard.last == "reset")
        try await TestHost.run { host in
            #expect(PluginMain.resourceDirectory.isEmpty && PluginMain.permissions.isEmpty)
            #expect(AVAudioSession.sharedInstance().category == .soloAmbient)
            try await host.settle()
            #expect(host.providers.isEmpty && host.calls.isEmpty)
            await #expect(throws: CXErrorCodeIncomingCallError.self) { _ = try await earlier.ring(from: ada, in: host) }
            let later = Phone()
            let call = try await later.ring(from: ada, in: host)
            #expect(call.provider == "app_Phone" && earlier.heard.last == "reset")
            #expect(CXCallObserver().calls.count == 1 && observer.calls.allSatisfy { $0.uuid != call.uuid })
        }
    }

    /// As with a test library that runs tests in parallel.
    @Test func manyAtOnceTakeTurns() async throws {
        let names = try await withThrowingTaskGroup(of: [String].self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await TestHost.run { host in
                        let phone = Phone("Phone\(number)")
                        let call = try await phone.ring(from: ada, in: host)
                        try await call.answer()
                        return host.providers
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(names.sorted() == (0..<20).map { "app_Phone\($0)" }.sorted())
    }

    @Test func anErrorOfTheTestComesThroughAndEndsIt() async throws {
        struct Thunder: Error {}
        await #expect(throws: Thunder.self) { try await TestHost.run { _ in throw Thunder() } }
        try await TestHost.run(startingAt: Date(timeIntervalSince1970: 1_000)) { host in
            #expect(host.now == Date(timeIntervalSince1970: 1_000))
        }
    }
}

private final class Witness: CXCallObserverDelegate, Sendable {
    private let seen = Mutex<[String]>([])
    var states: [String] { seen.withLock { $0 } }

    func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall) {
        seen.withLock { $0.append(call.state.rawValue) }
    }
}
