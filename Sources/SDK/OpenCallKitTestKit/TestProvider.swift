// TestProvider: another app with calls of its own.

internal import CallCore
internal import CallModel
internal import CallStage
public import OpenCallKit

/// A provider that is not under test, so that its calls can be in the way of those that are. It does what it is asked
/// unless it is told otherwise.
public final class TestProvider: Sendable {
    /// What it does with the actions that it is given.
    public enum Conduct: Sendable {
        /// Fulfils them.
        case fulfills
        /// Lets them fail.
        case refuses
        /// Keeps them until they time out.
        case ignores
    }

    /// The id of the provider.
    public let id: String
    private let host: TestHost
    private let app: OtherApp

    init(_ id: String, _ host: TestHost, _ app: OtherApp) {
        self.id = id
        self.host = host
        self.app = app
    }

    /// What it was asked, in words, oldest first: `perform start …`, `perform set-held …`, `activate-audio …`.
    public var heard: [String] { get async { await app.heard.map(\.description) } }

    /// Changes what it does with the actions that come from now on.
    public func set(_ conduct: Conduct) async { await app.set(conduct) }

    /// Somebody calls it.
    /// - Throws: ``TestHostError/refused(_:)`` if the call may not ring.
    @discardableResult
    public func receiveCall(
        from handle: CXHandle = CXHandle(type: .generic, value: "somebody"), uuid: UUID = UUID()
    ) async throws -> TestCall {
        let update = CXCallUpdate()
        update.remoteHandle = handle
        let id = CallID(uuid)
        try await report(.incoming(id, try model(of: update)))
        return TestCall(host, id)
    }

    /// The far side has answered a call that was started with it.
    /// - Throws: ``TestHostError/refused(_:)``.
    public func connect(_ call: TestCall) async throws { try await report(.connected(call.id, at: 0)) }

    /// A call is over without anybody here having ended it.
    /// - Throws: ``TestHostError/refused(_:)``.
    public func end(_ call: TestCall, reason: CXCallEndedReason = .remoteEnded) async throws {
        try await report(.ended(call.id, at: 0, reason.model))
    }

    /// Something about a call has changed.
    /// - Throws: ``TestHostError/refused(_:)``; `CXErrorCodeIncomingCallError` for a handle that is not acceptable.
    public func update(_ call: TestCall, _ update: CXCallUpdate) async throws {
        try await report(.updated(call.id, try model(of: update)))
    }

    /// Its process dies, and its calls with it.
    /// - Throws: ``TestHostError/late(_:)``.
    public func crash() async throws {
        await app.crash()
        try await host.settle()
    }

    private func model(of update: CXCallUpdate) throws -> CallUpdate {
        do throws(CallError) { return try update.model() } catch { throw CXErrorCodeIncomingCallError(error) }
    }

    private func report(_ report: Report) async throws {
        try await host.settle()
        let answer = TestRequest()
        await app.report(report, answer)
        do {
            _ = try await host.finish(answer, until: .performed)
        } catch let error as CXErrorCodeRequestTransactionError {
            throw TestHostError.refused(error.message)
        }
    }
}
