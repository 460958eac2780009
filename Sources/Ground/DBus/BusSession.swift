// BusSession: a connection that comes back.

public import EventLoop

/// Connects to a bus, and connects again when it went away: after 50 ms, then twice as long each time, up to 5 s. It
/// never ends the process, and never gives up unless it is told to.
@LoopActor
public final class BusSession {
    /// Called with each new connection.
    public var onConnected: (@LoopActor (Bus) -> Void)?
    /// Called when a connection is lost.
    public var onDisconnected: (@LoopActor () -> Void)?
    /// The present connection.
    public private(set) var bus: Bus?
    /// Why the last attempt failed; nil once connected.
    public private(set) var lastError: DBusError?

    private let address: String?
    private let maximumAttempts: Int?
    private var isRunning = false
    private var delay = Duration.zero
    /// How many attempts have failed since the last connection or `tryNow`.
    private var failures = 0
    private var retry: LoopTimer?
    private var attempt = 0
    private var isConnecting = false
    /// Open once it is known whether there is a bus.
    private let decision = Gate()

    /// - Parameters:
    ///   - address: of the bus; nil reads the session's address before each attempt.
    ///   - maximumAttempts: how many failures in a row it tries again after; then it waits for `tryNow`. Nil = any.
    public init(address: String? = nil, maximumAttempts: Int? = nil) {
        self.address = address
        self.maximumAttempts = maximumAttempts
    }

    isolated deinit {
        bus?.close()
    }

    public func start() {
        guard !isRunning else { return }
        isRunning = true
        connect()
    }

    /// Connects at once if there is no connection and no attempt under way.
    public func tryNow() {
        guard isRunning, bus == nil, !isConnecting else { return }
        retry = nil
        (delay, failures) = (.zero, 0)
        connect()
    }

    /// Closes the connection. `onDisconnected` is not called.
    public func stop() {
        isRunning = false
        isConnecting = false
        attempt += 1
        retry = nil
        bus?.close()
        bus = nil
    }

    /// Returns once the first attempt to connect has succeeded, or failed, and on the bus all is answered.
    public func settle() async {
        await decision.pass()
        await bus?.settle()
    }

    private func connect() {
        attempt += 1
        isConnecting = true
        let current = attempt
        Bus.connect(to: address, timeout: .seconds(10)) { [weak self] result in
            guard let self, isRunning, attempt == current else {
                if case .success(let bus) = result { bus.close() }
                return
            }
            isConnecting = false
            switch result {
            case .success(let bus):
                lastError = nil
                (delay, failures) = (.zero, 0)
                self.bus = bus
                bus.whenGone = { [weak self] in self?.lost() }
                onConnected?(bus)
                decision.open()
            case .failure(let error):
                lastError = error
                failures += 1
                decision.open()
                if maximumAttempts.map({ failures < $0 }) ?? true { tryAgain() }
            }
        }
    }

    private func lost() {
        bus = nil
        onDisconnected?()
        if isRunning { tryAgain() }
    }

    private func tryAgain() {
        delay = min(max(.milliseconds(50), delay * 2), .seconds(5))
        retry = LoopTimer(after: delay) { [weak self] in self?.connect() }
    }
}
