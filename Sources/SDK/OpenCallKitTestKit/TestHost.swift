// TestHost: the real call system in a unit test, with a clock that the test moves.

internal import CallCore
internal import CallModel
internal import EventLoop
public import OpenCallKit

/// A host for the providers of a test: callkitd's own code in the test's process, without a bus, other processes or
/// waiting.
///
/// ```swift
/// try await TestHost.run { host in
///     let phone = Phone()                    // your CXProviderDelegate with its CXProvider, unchanged
///     let call = try await host.startCall(to: CXHandle(type: .generic, value: "ada"))
///     #expect(call.state == .started)
/// }
/// ```
///
/// A test acts as the user, here and on a ``TestCall``, and as another app, with a ``TestProvider``. Each method returns
/// when everything has settled: the delegates have got the host's messages on their queues, and the host has got their
/// answers.
public final class TestHost: Sendable {
    let system: TestSystem
    let snapshot = HostSnapshot()
    /// The tests of this process.
    static let queue = TestQueue()

    private init(startingAt start: Date) async {
        system = await TestSystem(snapshot, start: start)
    }

    /// Runs a test with a host of its own. Tests that run at the same time wait for each other here.
    ///
    /// Create providers, controllers and observers inside `body`: those of an earlier test are invalid.
    /// - Parameters:
    ///   - resourceDirectory: the folder of the plugin's ringtones and icons, `PluginMain.resourceDirectory`.
    ///   - permissions: what the user has granted, `PluginMain.permissions`. It is what the plugin is told; nothing is
    ///     withheld from a test.
    ///   - start: the host's first date.
    ///   - body: the test.
    /// - Throws: ``TestHostError/elsewhere`` if this process already has a provider that looks for callkitd on the
    ///   session bus; any error of `body`.
    nonisolated(nonsending) public static func run<Result>(
        resourceDirectory: String = "", permissions: Set<String> = [], startingAt start: Date = Date(),
        _ body: nonisolated(nonsending) (TestHost) async throws -> Result
    ) async throws -> Result {
        await queue.begin()
        defer { queue.end() }
        Loop.shared.start()
        let host = await TestHost(startingAt: start)
        guard await host.system.enter(resourceDirectory, permissions) else { throw TestHostError.elsewhere }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(host)) } catch { result = .failure(error) }
        await host.system.end()
        return try result.get()
    }

    // MARK: time

    /// The host's date.
    public var now: Date { snapshot.now }

    /// Advances the host's time. Time-outs and deadlines fire in order; everything settles after each of them.
    /// - Throws: ``TestHostError/late(_:)``.
    public func advance(by duration: Duration) async throws { try await system.advance(by: duration) }

    /// Waits until no message is on its way between the host and the delegates' queues. To wait for work elsewhere, such
    /// as a provider's own task, use ``wait(for:within:until:)``.
    /// - Throws: ``TestHostError/late(_:)`` if messages keep coming.
    public func settle() async throws { try await system.settle() }

    /// Waits until a condition holds. The host's time does not advance meanwhile.
    /// - Parameters:
    ///   - what: the condition in words, for the error.
    ///   - limit: the time limit, in real time.
    ///   - condition: the condition, checked every few milliseconds.
    /// - Throws: ``TestHostError/late(_:)``.
    public func wait(
        for what: String, within limit: Duration = .seconds(10), until condition: @Sendable () -> Bool
    ) async throws {
        try await system.wait(for: what, within: limit, until: condition)
    }

    // MARK: the state

    /// The calls that have not ended, oldest first.
    public var calls: [TestCall] { snapshot.calls.filter { !$0.hasEnded }.map { TestCall(self, $0.id) } }

    /// All calls, including those that have ended, oldest first.
    public var allCalls: [TestCall] { snapshot.calls.map { TestCall(self, $0.id) } }

    /// Returns the call with this identifier; nil if the host never had it.
    public func call(_ uuid: UUID) -> TestCall? {
        let id = CallID(uuid)
        return snapshot[id] == nil ? nil : TestCall(self, id)
    }

    /// Returns the oldest call in a state; nil if there is none.
    public func call(in state: CXCall.State) -> TestCall? { allCalls.first { $0.state == state } }

    /// The ids of the providers that can take calls, in order. A provider's id is `app_` and the letters and digits of its
    /// name, as that of an app on the bus.
    public var providers: [String] { snapshot.providers }

    /// The providers' errors, oldest first, such as `late-completion …`: the signals `Anomaly` of the bus.
    public var anomalies: [String] { snapshot.anomalies }

    /// The inputs of the host and their effects, line by line. Read it when a test fails.
    public var transcript: [String] { snapshot.transcript }
}

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

    /// Sends a service code with a provider, as the user does, and returns what its network says and whether it waits for a reply.
    /// - Parameters:
    ///   - code: the code, such as `*100#`.
    ///   - provider: the provider's id.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the code is refused; ``TestHostError``.
    public func sendServiceCode(_ code: String, with provider: String) async throws -> (text: String, asks: Bool) {
        try await serviceCode("SendServiceCode", code, provider)
    }

    /// Replies to the network of a provider that has asked back.
    /// - Throws: as ``sendServiceCode(_:with:)``.
    public func replyToServiceCode(_ reply: String, with provider: String) async throws -> (text: String, asks: Bool) {
        try await serviceCode("ReplyToServiceCode", reply, provider)
    }

    private func serviceCode(
        _ member: String, _ text: String, _ provider: String
    ) async throws -> (text: String, asks: Bool) {
        guard let id = ProviderID(provider) else { throw TestHostError.noProvider(provider) }
        let request = TestRequest()
        try await system.settle()
        await system.serviceCode(member, text, of: id, request)
        let answer = try await finish(request, until: .performed).values
        return (answer["text"]?.stringValue ?? "", answer["asks"]?.boolValue ?? false)
    }

    /// Ends the exchange of the user with a provider's network, as Ctrl-C does.
    /// - Throws: ``TestHostError``.
    public func cancelServiceCode(with provider: String) async throws {
        guard let id = ProviderID(provider) else { throw TestHostError.noProvider(provider) }
        try await system.settle()
        await system.cancelServiceCode(of: id)
        try await system.settle()
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

extension TestHost {
    /// Adds another app with calls of its own.
    /// - Parameters:
    ///   - name: the provider's id, made of letters and digits.
    ///   - holdModel: how its network holds calls. With `swap`, the calls of others cannot have its active call held
    ///     while it has another one on hold.
    /// - Throws: ``TestHostError``.
    public func addProvider(
        _ name: String = "Other", holdModel: CXProviderConfiguration.HoldModel = .perCall
    ) async throws -> TestProvider {
        let app = await system.addApp(name, HoldModel(rawValue: holdModel.rawValue) ?? .perCall)
        try await system.settle()
        guard providers.contains(name) else { throw TestHostError.noProvider(name) }
        return TestProvider(name, self, app)
    }

    /// Disconnects the providers from the host, as the loss of callkitd or of the bus does: their calls end, and their
    /// delegates get `providerDidReset(_:)`. For the user they have crashed.
    /// - Throws: ``TestHostError/late(_:)``.
    public func disconnect() async throws {
        try await system.settle()
        await system.disconnect()
        try await system.settle()
    }

    /// Connects the providers to the host again after ``disconnect()``. They register again by themselves.
    /// - Throws: ``TestHostError/late(_:)``.
    public func reconnect() async throws {
        await system.connect()
        try await system.settle()
    }
}
