// SupervisedProcess: a process that is kept running: its link, its pings, its end and its next start.

import DBus
import EventLoop
import WorkerLaunch

/// Starts one process at a time and watches it. What it is for is the delegate's.
@LoopActor
final class SupervisedProcess {
    /// How a process ended.
    enum End {
        /// `stop()` was called before.
        case stopped
        /// It could not be started.
        case notStarted(any Error)
        /// It ended by itself, or was killed for `reason`.
        case failed(ExitStatus, reason: String?)
    }

    weak var delegate: (any SupervisedProcessDelegate)?
    private var process: LinkedProcess?
    private var startTimer: LoopTimer?
    private var pingTimer: LoopTimer?
    private var backOff: BackOff
    private var startedAt = MonotonicTime(nanoseconds: 0)
    private var wasStopped = false
    private var reason: String?
    private var lastReport: SandboxReport?
    /// A ping must be answered within this time; the first one within the other.
    private let pingDeadline: Duration
    private let startDeadline: Duration
    /// So many deadlines has a process for a ping that says other things meanwhile: it is slow, or what it says waits here.
    private static let mostDeadlines = 5
    private var hasAnswered = false

    /// - Parameter startDeadline: nil for the same as the other.
    init(_ backOff: BackOff, pingDeadline: Duration, startDeadline: Duration? = nil) {
        self.backOff = backOff
        self.pingDeadline = pingDeadline
        self.startDeadline = startDeadline ?? pingDeadline
    }

    var isRunning: Bool { process != nil }
    /// The process id, or 0 if there is no process.
    var pid: Int32 { process?.pid ?? 0 }
    var link: PrivateLink? { process?.link }
    /// How the process is confined, or how the last one was; nil if that is not known yet, or if it is not confined.
    var report: SandboxReport? { process.map(\.report) ?? lastReport }

    // MARK: start and stop

    /// Starts the process unless it runs.
    func start() {
        startTimer = nil
        guard process == nil, let delegate else { return }
        startedAt = .now
        wasStopped = false
        hasAnswered = false
        reason = nil
        lastReport = nil
        do {
            let process = try delegate.launch { _, status in self.exited(status) }
            self.process = process
            process.link.onClosed = { [weak self] reason in self?.linkClosed(reason) }
            delegate.started(on: process.link)
        } catch {
            delegate.ended(.notStarted(error))
        }
    }

    /// Starts the process again after a pause, which grows with each failure.
    ///
    /// - Returns: The pause, or nil if it failed too often to be started again.
    func startAgain() -> Duration? {
        guard let pause = backOff.pause(afterRunFrom: startedAt, to: .now) else { return nil }
        startTimer = LoopTimer(after: pause) { [weak self] in self?.start() }
        return pause
    }

    /// Forgets all failures, so that the next pause is the shortest.
    func forgive() { backOff.reset() }

    /// The process is about to be stopped: however it ends from now on, it has not failed.
    func expectEnd() {
        startTimer = nil
        if reason == nil { wasStopped = true }
    }

    /// Asks the process to end, kills it if it does not, and starts no other.
    func stop() {
        expectEnd()
        process?.stop()
    }

    /// Kills the process, which has failed.
    func kill(_ reason: String) {
        if !wasStopped { self.reason = self.reason ?? reason }
        process?.kill()
    }

    // MARK: pings

    /// Sends a ping after a pause, unless one is under way, and kills the process if it does not answer in time.
    func ping(after pause: Duration = .zero) {
        guard pingTimer == nil, link?.isOpen == true else { return }
        pingTimer = LoopTimer(after: pause) { [weak self] in self?.sendPing() }
    }

    /// `pingTimer` is held until the answer, so that one ping is under way at a time.
    ///
    /// - Parameter missed: how many deadlines have passed already.
    private func sendPing(missed: Int = 0) {
        guard let process else { return }
        do throws(DBusError) {
            let message = try Message.call(at: .root, StandardInterface.peer, "Ping")
            let deadline = hasAnswered ? pingDeadline : startDeadline
            let received = process.link.received
            process.link.call(message, timeout: deadline) { [weak self, weak process] result in
                guard let self, let process, process === self.process else { return }
                switch result {
                case .success:
                    hasAnswered = true
                    pingTimer = nil
                    delegate?.answeredPing()
                case .failure(let error) where [DBusError.Name.timeout, DBusError.Name.noReply].contains(error.name):
                    let missed = missed + 1
                    if process.link.received != received && missed < Self.mostDeadlines {
                        return sendPing(missed: missed)
                    }
                    pingTimer = nil
                    kill("hung: a ping was not answered in \((deadline * missed).milliseconds) ms")
                case .failure: pingTimer = nil
                }
            }
        } catch {
            pingTimer = nil
        }
    }

    // MARK: the end

    private func linkClosed(_ closed: CloseReason) {
        switch closed {
        case .garbage(let text): kill("sent garbage: \(text)")
        case .queueFull: kill("does not read its messages")
        case .closedHere, .peerClosed, .failed: process?.stop()
        }
        delegate?.linkClosed()
    }

    private func exited(_ status: ExitStatus) {
        lastReport = process?.report
        process = nil
        pingTimer = nil
        delegate?.ended(wasStopped ? .stopped : .failed(status, reason: reason))
    }
}

/// Knows which process is supervised and what follows from its life.
@LoopActor
protocol SupervisedProcessDelegate: AnyObject {
    func launch(onExit: @escaping @LoopActor (LinkedProcess, ExitStatus) -> Void) throws -> LinkedProcess
    /// Called when the process was started, before anything arrives on its link.
    func started(on link: PrivateLink)
    func answeredPing()
    /// Called when the link is closed; the process may still run.
    func linkClosed()
    func ended(_ end: SupervisedProcess.End)
}

/// The pauses between a failure of a process and its next start.
struct BackOff {
    /// A failure counts for this long.
    static let window = Duration.seconds(60)

    /// The pause after each failure in a row; the last one repeats.
    private let pauses: [Duration]
    /// This many failures within `window` end the attempts; nil never ends them.
    private let limit: Int?
    private var inARow = 0
    private var recent: [MonotonicTime] = []

    init(pauses: [Duration], limit: Int? = nil) {
        self.pauses = pauses
        self.limit = limit
    }

    /// Returns the pause before the next start, or nil if there is to be none.
    ///
    /// - Parameter start: When the process that failed was started. A long run begins a new row of failures.
    mutating func pause(afterRunFrom start: MonotonicTime, to now: MonotonicTime) -> Duration? {
        if now.duration(since: start) > Self.window { inARow = 0 }
        inARow += 1
        recent = recent.filter { now.duration(since: $0) < Self.window } + [now]
        if let limit, recent.count >= limit { return nil }
        return pauses[min(inARow, pauses.count) - 1]
    }

    /// Forgets all failures.
    mutating func reset() {
        inARow = 0
        recent = []
    }
}
