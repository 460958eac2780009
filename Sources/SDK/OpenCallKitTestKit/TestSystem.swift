// TestSystem: the call system of one test, with its links.

internal import CallCore
internal import CallHost
internal import CallModel
internal import CallStage
internal import CallWire
internal import DBus
internal import EventLoop
internal import Logging
internal import OpenCallKit

/// The real host with a clock that the test moves, and memory links to the SDK of this process, a user and other apps.
/// Lives on the loop.
@LoopActor
final class TestSystem {
    /// The time limit for settling, in real time.
    private static let settlingTimeout = Duration.seconds(60)

    private let snapshot: HostSnapshot
    private let clock: VirtualClock
    private let host: CallSystemHost
    private let exchange = MemoryExchange()
    private let user: MemoryLink
    /// The host's ends of the links, which nothing else keeps.
    private var ends: [MemoryLink] = []
    /// The other apps, which run on if the test forgets their providers.
    private var apps: [OtherApp] = []
    /// The SDK's state during the test; nil before it begins.
    private var sdk: SDKSession?
    /// The SDK's end.
    private var ownLink: MemoryLink?
    private var isDelivering = false
    /// Whether a message has been delivered since the last check.
    private var hasDelivered = false

    init(_ snapshot: HostSnapshot, start: Date) {
        self.snapshot = snapshot
        clock = VirtualClock(
            at: Instant(
                uptime: Uptime(microseconds: MonotonicTime.now.nanoseconds / 1_000), date: start.wire))
        // The folders do not exist, so that the host starts and writes nothing.
        let configuration = HostConfiguration(
            workerPath: "/nonexistent", executableFolder: "/nonexistent",
            environment: ["XDG_RUNTIME_DIR": "/nonexistent"])
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        host = CallSystemHost(configuration: configuration, log: log, clock: clock)
        let (near, far) = exchange.link(far: ":1.1")
        user = far
        ends.append(near)
        host.serve(on: near)
        snapshot.show(start)
        exchange.onPost = { [weak self] in self?.deliverSoon() }
        host.onStep = { [weak self] step in self?.note(step) }
    }

    private func note(_ step: Step) {
        let providers = host.readyProviders.map(\.rawValue).sorted()
        snapshot.show(step, host.presentCalls, providers)
    }

    // MARK: the links

    /// Connects the SDK of this process. False if it is connected elsewhere.
    func enter(_ resourceDirectory: String, _ permissions: Set<String>) -> Bool {
        sdk = SDKSession.beginTest(resourceDirectory: resourceDirectory, permissions: permissions) {
            [clock] duration, handler in
            let now = clock.now
            return clock.timer(at: Instant(uptime: now.uptime + duration.microseconds, date: now.date), handler)
        }
        guard sdk != nil else { return false }
        connect()
        return true
    }

    /// Gives the SDK a link, as a bus does to an app.
    func connect() {
        guard ownLink == nil else { return }
        let (near, far) = exchange.link(far: ":1.\(ends.count + 1)")
        ends.append(near)
        ownLink = far
        host.serve(on: near)
        sdk?.connect(far)
    }

    func disconnect() {
        guard let ownLink else { return }
        self.ownLink = nil
        ownLink.close()
        // The other providers are guests, which do not use the bus.
        host.loseBus()
        sdk?.disconnect()
    }

    func addApp(_ name: String, _ holdModel: HoldModel) -> OtherApp {
        let (near, far) = exchange.link()
        ends.append(near)
        host.serve(on: near, guest: name)
        near.onClosed = { [weak host, weak near] _ in
            if let near { host?.guestLeft(near) }
        }
        let app = OtherApp(far, name: name, holdModel)
        apps.append(app)
        return app
    }

    /// Ends the test: the SDK has nothing left of it when this returns.
    func end() async {
        sdk?.endTest()
        await sdk?.heard()
        disconnect()
        host.onStep = nil
        exchange.onPost = nil
        user.close()
        exchange.deliver()
    }

    // MARK: the user

    func request(_ actions: [CallAction], endingOthers: Bool, _ request: TestRequest) {
        let options = RequestOptions(conflict: endingOthers ? .end : .hold, replyMode: .performed)
        user.ask(
            nil, at: ObjectPath.system, Contract.callSystem, ProviderMember.System.requestTransaction,
            TransactionWire.entries(of: actions), options.wire
        ) { Self.settle(request, $0) }
    }

    func press(_ button: String, of provider: ProviderID, _ arguments: [String: CXValue], _ request: TestRequest) {
        user.ask(
            nil, at: ObjectPath.provider(provider), Contract.provider, "PerformCustomAction", button,
            arguments.mapValues(\.variant)
        ) { Self.settle(request, $0) }
    }

    func serviceCode(_ member: String, _ text: String, of provider: ProviderID, _ request: TestRequest) {
        user.ask(
            nil, at: ObjectPath.provider(provider), Contract.provider, member, text, VariantDictionary()
        ) { Self.settle(request, $0) }
    }

    func cancelServiceCode(of provider: ProviderID) {
        user.ask(nil, at: ObjectPath.provider(provider), Contract.provider, "CancelServiceCode") { _ in }
    }

    func setDoNotDisturb(_ isOn: Bool) { ScriptedClient(on: user, host: nil).setDoNotDisturb(isOn) }

    func silenceRinging() { ScriptedClient(on: user, host: nil).silence() }

    private static func settle(_ request: TestRequest, _ result: Result<Message, DBusError>) {
        switch result {
        case .success(let message):
            let values = (try? message.read(VariantDictionary.self)).map { $0.mapValues(CXValue.init) }
            request.settle(.performed, values ?? [:])
        case .failure(let error): request.settle(.failed(.init(error)))
        }
    }

    // MARK: time

    func advance(by duration: Duration) async throws {
        try await settle()
        let end = clock.now.uptime + duration.microseconds
        while let next = clock.nextMoment, next <= end {
            move(to: next)
            _ = clock.fireNext()
            try await settle()
        }
        move(to: end)
    }

    private func move(to uptime: Uptime) {
        clock.move(to: uptime)
        snapshot.show(Date(wire: clock.now.date))
    }

    // MARK: settling

    /// Delivers messages in a later turn of the loop, as a socket does.
    private func deliverSoon() {
        guard !isDelivering else { return }
        isDelivering = true
        Loop.shared.post { [weak self] in
            guard let self else { return }
            isDelivering = false
            if exchange.deliverOnce() { hasDelivered = true }
        }
    }

    func settle() async throws {
        let deadline = MonotonicTime.now.advanced(by: Self.settlingTimeout)
        var quietTurns = 0
        while quietTurns < 2 {
            guard MonotonicTime.now < deadline else { throw late("everything to settle") }
            hasDelivered = false
            await turns()
            await sdk?.heard()
            await turns()
            quietTurns = hasDelivered ? 0 : quietTurns + 1
        }
    }

    func wait(for what: String, within limit: Duration, until condition: @Sendable () -> Bool) async throws {
        let deadline = MonotonicTime.now.advanced(by: limit)
        while true {
            try await settle()
            if condition() { return }
            guard MonotonicTime.now < deadline else { throw late(what) }
            // What the provider does by itself is not announced.
            await LoopTimer.pause(for: .milliseconds(5))
        }
    }

    /// Runs the work that is queued on the loop, until no message is on its way.
    private func turns() async {
        repeat {
            await withCheckedContinuation { continuation in Loop.shared.post { continuation.resume() } }
        } while isDelivering
    }

    private func late(_ what: String) -> TestHostError {
        let lines = snapshot.transcript.suffix(20).joined(separator: "\n")
        return .late("waited in vain for \(what); the host's last lines:\n\(lines)")
    }
}

extension Duration {
    /// Whole microseconds; 0 for a negative duration.
    fileprivate var microseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, seconds)) * 1_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000_000
    }
}
