// BusSession: a connection that comes back.

public import EventLoop

/// Connects to a bus, and connects again when it went away: after 50 ms, then twice as long each time, up to 5 s. It
/// never gives up and never ends the process.
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
    private var isRunning = false
    private var delay = 0
    private var retry: LoopTimer?
    private var attempt = 0

    /// - Parameter address: of the bus; nil reads the session's address before each attempt.
    public init(address: String? = nil) {
        self.address = address
    }

    isolated deinit {
        bus?.close()
    }

    public func start() {
        guard !isRunning else { return }
        isRunning = true
        connect()
    }

    /// Closes the connection. `onDisconnected` is not called.
    public func stop() {
        isRunning = false
        attempt += 1
        retry = nil
        bus?.close()
        bus = nil
    }

    private func connect() {
        attempt += 1
        let current = attempt
        Bus.connect(to: address, timeoutMilliseconds: 10_000) { [weak self] result in
            guard let self, isRunning, attempt == current else {
                if case .success(let bus) = result { bus.close() }
                return
            }
            switch result {
            case .success(let bus):
                lastError = nil
                delay = 0
                self.bus = bus
                bus.whenGone = { [weak self] in self?.lost() }
                onConnected?(bus)
            case .failure(let error):
                lastError = error
                tryAgain()
            }
        }
    }

    private func lost() {
        bus = nil
        onDisconnected?()
        if isRunning { tryAgain() }
    }

    private func tryAgain() {
        delay = min(max(50, delay * 2), 5000)
        retry = LoopTimer(afterMilliseconds: delay) { [weak self] in self?.connect() }
    }
}
