// The user's requests.

internal import CallModel
public import OpenCallKit

extension TestHost {
    /// How long a request is waited for.
    public enum Stage: Sendable {
        /// Until the providers have performed the actions, at most ten seconds of real time.
        case performed
        /// Until everything has settled. A provider may not have answered its action by then.
        case accepted
    }

    /// Starts a call.
    /// - Parameters:
    ///   - handle: the handle to call.
    ///   - provider: the id of the provider to call with; nil is the first one that takes the handle's type.
    ///   - video: whether the call should have video.
    ///   - stage: how long to wait.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func startCall(
        to handle: CXHandle, with provider: String? = nil, video: Bool = false, until stage: Stage = .performed
    ) async throws -> TestCall {
        let action = CXStartCallAction(call: UUID(), handle: handle)
        action.isVideo = video
        _ = try await request([action], with: provider, until: stage)
        return TestCall(self, CallID(action.callUUID))
    }

    /// Requests a transaction, as any program of the user can.
    /// - Parameters:
    ///   - actions: the actions to perform, in order.
    ///   - stage: how long to wait.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
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
    ///   - button: the button's identifier, as in `CXProviderConfiguration.customActions`.
    ///   - provider: the provider's id.
    ///   - arguments: the arguments of the action.
    /// - Returns: the provider's result.
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

    /// Turns Do Not Disturb on or off.
    /// - Throws: ``TestHostError/late(_:)``.
    public func setDoNotDisturb(_ isOn: Bool) async throws {
        try await system.settle()
        await system.setDoNotDisturb(isOn)
        try await system.settle()
    }

    /// Stops the ringer; the calls continue to ring.
    /// - Throws: ``TestHostError/late(_:)``.
    public func silenceRinging() async throws {
        try await system.settle()
        await system.silenceRinging()
        try await system.settle()
    }
}
