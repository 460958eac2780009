// TestHost: the call system in a unit test: the real one, with a clock that moves only when told.

internal import CallCore
internal import CallModel
internal import EventLoop
public import OpenCallKit

/// A host for the providers that a test makes: callkitd's own code, in the test's process, without a bus, without other
/// processes and without waiting.
///
/// ```swift
/// try await TestHost.run { host in
///     let phone = Phone()                    // your CXProviderDelegate with its CXProvider, as it is shipped
///     let call = try await host.startCall(to: CXHandle(type: .generic, value: "ada"))
///     #expect(call.state == .started)
/// }
/// ```
///
/// A test acts as the user does, here and on a ``TestCall``; it plays another app with a ``TestProvider``. Each method
/// returns when everything has settled: what the host tells has reached the delegates on their queues, and what these did
/// about it there has reached the host.
public final class TestHost: Sendable {
    let system: TestSystem
    let snapshot = HostSnapshot()

    private init(startingAt start: Date) async {
        system = await TestSystem(snapshot, start: start)
    }

    /// Runs a test with a host of its own. Tests that run at the same time wait for each other here.
    ///
    /// Make providers, controllers and observers inside `body`: those of an earlier test are invalid.
    /// - Parameters:
    ///   - resourceDirectory: the folder of the plugin's ringtones and icons, `PluginMain.resourceDirectory`.
    ///   - start: the host's first date.
    ///   - body: the test.
    /// - Throws: ``TestHostError/elsewhere`` if this process has a provider already that looks for callkitd on the
    ///   session bus; and what `body` throws.
    nonisolated(nonsending) public static func run<Result>(
        resourceDirectory: String = "", startingAt start: Date = Date(),
        _ body: nonisolated(nonsending) (TestHost) async throws -> Result
    ) async throws -> Result {
        await TestQueue.shared.begin()
        defer { TestQueue.shared.end() }
        Loop.shared.start()
        let host = await TestHost(startingAt: start)
        guard await host.system.enter(resourceDirectory) else { throw TestHostError.elsewhere }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(host)) } catch { result = .failure(error) }
        await TestPlace.leave()
        await TestPlace.heard()
        await host.system.end()
        return try result.get()
    }

    // MARK: time

    /// The host's date.
    public var now: Date { snapshot.now }

    /// Lets the host's time pass: every time-out and deadline that falls due does so, in order, and each settles before
    /// the next.
    /// - Throws: ``TestHostError/late(_:)``.
    public func advance(by duration: Duration) async throws {
        try await system.advance(by: duration)
    }

    /// Returns when nothing is on its way any more between the host and the delegates' queues. What a provider does
    /// elsewhere, such as in a task of its own, is waited for with ``wait(for:within:until:)``.
    /// - Throws: ``TestHostError/late(_:)`` if that does not come to an end.
    public func settle() async throws { try await system.settle() }

    /// Returns when a condition holds. The host's time stands still meanwhile.
    /// - Parameters:
    ///   - what: what is waited for, for the error.
    ///   - limit: how long to wait at most, in real time.
    ///   - condition: what is to be so; looked at every few milliseconds.
    /// - Throws: ``TestHostError/late(_:)``.
    public func wait(
        for what: String, within limit: Duration = .seconds(10), until condition: @Sendable () -> Bool
    ) async throws {
        try await system.wait(for: what, within: limit, until: condition)
    }

    // MARK: what there is

    /// The calls that have not ended, oldest first.
    public var calls: [TestCall] { snapshot.calls.filter { !$0.hasEnded }.map { TestCall(self, $0.id) } }

    /// Every call that there was, oldest first.
    public var allCalls: [TestCall] { snapshot.calls.map { TestCall(self, $0.id) } }

    /// The call with this identifier; one that the host never had is `nil`.
    public func call(_ uuid: UUID) -> TestCall? {
        let id = CallID(uuid)
        return snapshot[id] == nil ? nil : TestCall(self, id)
    }

    /// The oldest call in a state; nil if there is none.
    public func call(in state: CXCall.State) -> TestCall? { allCalls.first { $0.state == state } }

    /// The ids of the providers that can take calls, in order. A provider's id is its name, as far as that is made of
    /// letters and digits.
    public var providers: [String] { snapshot.providers }

    /// What providers did that they should not have, oldest first, such as `late-completion …`: the bus's `Anomaly`.
    public var anomalies: [String] { snapshot.anomalies }

    /// Everything that the host took in, and what followed, line by line: to be read when a test fails.
    public var transcript: [String] { snapshot.transcript }
}
