// TestProvider: another app with calls of its own.

internal import CallCore
internal import CallModel
internal import CallStage
public import OpenCallKit

/// A provider that is not under test, whose calls can be in the way of others. It fulfills its actions unless `set(_:)`
/// changes that.
public final class TestProvider: Sendable {
    /// How a provider answers its actions.
    public enum Conduct: Sendable {
        /// It fulfills them.
        case fulfills
        /// It fails them.
        case refuses
        /// It does not answer, so that they time out.
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

    /// The host's messages to the provider, in words, oldest first: `perform start …`, `perform set-held …`, `activate-audio …`.
    public var heard: [String] { get async { await app.heard.map(\.description) } }

    /// Sets how the provider answers its next actions.
    public func set(_ conduct: Conduct) async { await app.set(conduct) }

    /// Reports an incoming call.
    /// - Throws: ``TestHostError/refused(_:)`` if the call must not ring.
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

    /// Reports a call that is connected already: one that was dialed or answered on the handset which the provider serves.
    /// While another call is active, the provider is asked to hold it.
    /// - Parameters:
    ///   - handle: the other party.
    ///   - isOutgoing: whether the call was started on this side.
    ///   - isOnHold: whether the network or the handset holds it.
    ///   - uuid: the identifier of the new call.
    /// - Throws: ``TestHostError/refused(_:)`` if the system does not take the call over.
    @discardableResult
    public func reportOngoingCall(
        with handle: CXHandle = CXHandle(type: .generic, value: "somebody"), isOutgoing: Bool = false,
        isOnHold: Bool = false, uuid: UUID = UUID()
    ) async throws -> TestCall {
        let update = CXCallUpdate()
        update.remoteHandle = handle
        let id = CallID(uuid)
        let ongoing = OngoingCall(isOutgoing ? .outgoing : .incoming, isOnHold ? .held : .active)
        try await report(.ongoing(id, ongoing, try model(of: update)))
        return TestCall(host, id)
    }

    /// Reports that the far side of an outgoing call has answered.
    /// - Throws: ``TestHostError/refused(_:)``.
    public func connect(_ call: TestCall) async throws { try await report(.connected(call.id, at: 0)) }

    /// Reports that a call has ended without an action.
    /// - Throws: ``TestHostError/refused(_:)``.
    public func end(_ call: TestCall, reason: CXCallEndedReason = .remoteEnded) async throws {
        try await report(.ended(call.id, at: 0, reason.model))
    }

    /// Reports a change of a call.
    /// - Throws: ``TestHostError/refused(_:)``; `CXErrorCodeIncomingCallError` for an invalid handle.
    public func update(_ call: TestCall, _ update: CXCallUpdate) async throws {
        try await report(.updated(call.id, try model(of: update)))
    }

    /// Ends the provider's process, and its calls with it.
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
