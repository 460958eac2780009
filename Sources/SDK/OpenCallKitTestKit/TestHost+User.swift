// What the user does.

internal import CallModel
public import OpenCallKit

extension TestHost {
    /// How far a request is waited for.
    public enum Stage: Sendable {
        /// Until the providers have done what they were asked. They are given ten seconds of real time.
        case performed
        /// Until everything has settled: a provider that keeps its action has not answered then.
        case accepted
    }

    /// Dials.
    /// - Parameters:
    ///   - handle: who is called.
    ///   - provider: the id of the provider to call with; nil is the first one that takes such a handle.
    ///   - video: whether with video.
    ///   - stage: how far to wait.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func startCall(
        to handle: CXHandle, with provider: String? = nil, video: Bool = false, until stage: Stage = .performed
    ) async throws -> TestCall {
        let action = CXStartCallAction(call: UUID(), handle: handle)
        action.isVideo = video
        _ = try await request([action], with: provider, until: stage)
        return TestCall(self, CallID(action.callUUID))
    }

    /// Has a transaction requested, as any program of the user's can.
    /// - Parameters:
    ///   - actions: what to do, in order.
    ///   - stage: how far to wait.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func request(_ actions: [CXAction], until stage: Stage = .performed) async throws -> TestRequest {
        try await request(actions, with: nil, until: stage)
    }

    func request(
        _ actions: [CXAction], with provider: String? = nil, endingOthers: Bool = false, until stage: Stage
    ) async throws -> TestRequest {
        var models: [CallAction]
        do throws(CallError) {
            models = try CXCallController.models(of: actions)
        } catch {
            throw CXErrorCodeRequestTransactionError(error)
        }
        if let provider {
            guard let id = ProviderID(provider) else { throw TestHostError.noProvider(provider) }
            models = models.map { action in
                guard case .start(let call, var start) = action, start.provider == nil else { return action }
                start.provider = id
                return .start(call, start)
            }
        }
        let request = TestRequest()
        try await system.settle()
        await system.request(models, endingOthers: endingOthers, request)
        return try await finish(request, until: stage)
    }

    func finish(_ request: TestRequest, until stage: Stage) async throws -> TestRequest {
        try await system.settle()
        if stage == .performed, request.outcome == .pending {
            try await wait(for: "the providers to answer") { request.outcome != .pending }
        }
        if case .failed(let error) = request.outcome { throw error }
        return request
    }

    /// Presses one of a provider's own buttons.
    /// - Parameters:
    ///   - button: its identifier, as in `CXProviderConfiguration.customActions`.
    ///   - provider: the provider's id.
    ///   - arguments: what the action is given.
    /// - Returns: what the provider answers.
    /// - Throws: `CXErrorCodeRequestTransactionError`; ``TestHostError``.
    @discardableResult
    public func press(
        _ button: String, of provider: String, _ arguments: [String: CXValue] = [:]
    ) async throws -> [String: CXValue] {
        guard let id = ProviderID(provider) else { throw TestHostError.noProvider(provider) }
        let request = TestRequest()
        try await system.settle()
        await system.press(button, of: id, arguments, request)
        return try await finish(request, until: .performed).values
    }

    /// TestQueue Do Not Disturb on or off.
    /// - Throws: ``TestHostError/late(_:)``.
    public func setDoNotDisturb(_ isOn: Bool) async throws {
        try await system.settle()
        await system.setDoNotDisturb(isOn)
        try await system.settle()
    }

    /// Silences what rings, without answering.
    /// - Throws: ``TestHostError/late(_:)``.
    public func silenceRinging() async throws {
        try await system.settle()
        await system.silenceRinging()
        try await system.settle()
    }
}
