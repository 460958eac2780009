// The seed's app at work, compiled as Swift 5 and as Swift 6: what its user does with calls, and what the system does.

import OpenCallKit
import OpenCallKitTestKit
import Testing

@testable import SeedCode
@testable import SeedDirectory6

/// The app as its user operates it. Its files are compiled twice.
@MainActor protocol SeedApp: Sendable {
    init()
    /// Each call that the app shows: number and state.
    var list: [String] { get }
    var audioIsRunning: Bool { get }
    /// Starts a call, or simulates an incoming one.
    func makeCall(_ number: String, incoming: Bool)
    /// Simulates an incoming call.
    func report(_ uuid: UUID, _ number: String, completion: @escaping @Sendable ((any Error)?) -> Void)
    func tap(row: Int)
    func swipe(row: Int)
    func endAndAnswer(row: Int, _ answered: UUID)
}

@Suite struct SeedTests {
    @Test func asSwift5() async throws { try await take(Swift5App.self) }
    @Test func asSwift6() async throws { try await take(Swift6App.self) }

    /// The seed's tests, one after another.
    private func take<App: SeedApp>(_ type: App.Type) async throws {
        try await TestHost.run { host in
            let app = await App()
            try await host.settle()
            let first = try await answerACall(app, host)
            try await holdAndResume(first, app, host)
            let second = try await callSomebody(first, app, host)
            try await endOneAndAnswerAnother(first, second, app, host)
            try await refuse(app, host)
            try await host.disconnect()
            #expect(await app.list == [])
        }
    }

    private func answerACall(_ app: some SeedApp, _ host: TestHost) async throws -> TestCall {
        await app.makeCall("5551", incoming: true)
        try await host.wait(for: "a call") { host.call(in: .ringing) != nil }
        try await host.settle()
        let call = try #require(host.call(in: .ringing))
        #expect(call.handle?.isEqual(to: CXHandle(type: .phoneNumber, value: "5551")) == true)
        #expect(call.hasVideo)
        try await call.answer()
        try await host.settle()
        #expect(await app.list == ["5551 active"])
        #expect(await app.audioIsRunning)
        #expect(AVAudioSession.sharedInstance().category == .playAndRecord)
        #expect(AVAudioSession.sharedInstance().mode == .voiceChat)
        return call
    }

    private func holdAndResume(_ call: TestCall, _ app: some SeedApp, _ host: TestHost) async throws {
        for (state, shown) in [(CXCall.State.held, "5551 held"), (.active, "5551 active")] {
            await app.tap(row: 0)
            try await host.settle()
            #expect(call.state == state)
            #expect(await app.list == [shown])
            #expect(await app.audioIsRunning == (state == .active))
        }
    }

    /// The other call is held for it, and again when it is resumed: "the app can only deal with one audio session".
    private func callSomebody(_ first: TestCall, _ app: some SeedApp, _ host: TestHost) async throws -> TestCall {
        await app.makeCall("5552", incoming: false)
        try await host.wait(for: "the other side") { host.call(in: .active)?.isOutgoing == true }
        try await host.settle()
        #expect(await app.list == ["5551 held", "5552 active"])
        let second = try #require(host.call(in: .active))
        #expect(second.hasVideo)
        await app.tap(row: 0)
        try await host.settle()
        #expect(await app.list == ["5551 active", "5552 held"])
        #expect(first.state == .active && second.state == .held)
        #expect(await app.audioIsRunning)
        return second
    }

    private func endOneAndAnswerAnother(
        _ first: TestCall, _ second: TestCall, _ app: some SeedApp, _ host: TestHost
    ) async throws {
        let uuid = UUID()
        #expect(try await report(uuid, "5553", app, host) == nil)
        await app.endAndAnswer(row: 0, uuid)
        try await host.settle()
        #expect(await app.list == ["5552 held", "5553 active"])
        #expect(first.state == .ended && host.call(uuid)?.state == .active)
        await app.swipe(row: 1)
        try await host.settle()
        #expect(host.call(uuid)?.state == .ended)
        #expect(await app.list == ["5552 active"], "who was held to make room comes back")
        #expect(second.state == .active)
    }

    private func refuse(_ app: some SeedApp, _ host: TestHost) async throws {
        let list = await app.list
        let known = try #require(host.calls.first).uuid
        #expect(try await report(known, "5554", app, host) == .callUUIDAlreadyExists)
        try await host.setDoNotDisturb(true)
        #expect(try await report(UUID(), "5554", app, host) == .filteredByDoNotDisturb)
        #expect(await app.list == list)
    }

    /// - Returns: the error of the refused call.
    private func report(
        _ uuid: UUID, _ number: String, _ app: some SeedApp, _ host: TestHost
    ) async throws -> CXErrorCodeIncomingCallError.Code? {
        let error: (any Error)? = await withCheckedContinuation { continuation in
            Task { @MainActor in app.report(uuid, number) { continuation.resume(returning: $0) } }
        }
        try await host.settle()
        return try error.map { try #require($0 as? CXErrorCodeIncomingCallError).code }
    }

    @Test(arguments: [false, true]) func directory(isIncremental: Bool) {
        let asSwift5 = SeedCode.CallDirectoryHandler()
        asSwift5.beginRequest(with: CXCallDirectoryExtensionContext(testing: isIncremental))
        #expect(asSwift5.failure == nil)
        let asSwift6 = SeedDirectory6.CallDirectoryHandler()
        asSwift6.beginRequest(with: CXCallDirectoryExtensionContext(testing: isIncremental))
        #expect(asSwift6.failure == nil)
    }
}
