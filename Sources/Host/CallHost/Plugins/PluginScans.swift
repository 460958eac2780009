// PluginScans: when the folders of plugins are looked at.

import EventLoop
import Files
import Logging
import WorkerLaunch

/// Looks at the folders whenever they change, and again when they could not be read.
@LoopActor
final class PluginScans {
    let path: PluginSearchPath
    private let onScan: @LoopActor ([PluginCandidate], _ unread: [String: SystemError]) -> Void
    private let log: Logger
    private lazy var folders = PluginFolderWatch(path.folders, log: log) { [weak self] in self?.scanSoon() }
    private let retries: PluginRetries
    private var timer: LoopTimer?
    private var isOver = false

    /// How long a change in a folder waits for others: a file that is written changes more than once.
    private static let settleTime = Duration.milliseconds(50)

    /// - Parameters:
    ///   - onRetry: called when a pause after a failure is over.
    ///   - onScan: is given what was found, and the folders that are there and could not be read.
    init(
        _ path: PluginSearchPath, log: Logger, onRetry: @escaping @LoopActor () -> Void,
        onScan: @escaping @LoopActor ([PluginCandidate], _ unread: [String: SystemError]) -> Void
    ) {
        self.path = path
        self.onScan = onScan
        self.log = log
        retries = PluginRetries(log: log, retry: onRetry)
    }

    /// Looks at the folders now.
    func scan() {
        guard !isOver else { return }
        var unread: [String: SystemError] = [:]
        let found = path.survey(unread: &unread)
        onScan(found, unread)
        retries.note(unread, isIncomplete: !unread.isEmpty || found.contains { $0.isPassing })
        // Another scan finds what came between this scan and the new watches.
        if folders.watch(found.map(\.location)) { scanSoon() }
    }

    func scanSoon() {
        guard timer == nil, !isOver else { return }
        timer = LoopTimer(after: Self.settleTime) { [weak self] in
            self?.timer = nil
            self?.scan()
        }
    }

    /// Looks again after a pause.
    func retryLater() { if !isOver { retries.begin() } }

    func cancel() {
        isOver = true
        folders.cancel()
        retries.cancel()
        timer = nil
    }
}

/// Does something from time to time, with one timer for all workers, so that the daemon wakes up once.
@LoopActor
final class PluginRounds {
    private let period: Duration
    /// Returns whether another round is to follow.
    private let visit: @LoopActor () -> Bool
    private var timer: LoopTimer?

    init(every period: Duration, visit: @escaping @LoopActor () -> Bool) {
        self.period = period
        self.visit = visit
    }

    func begin() {
        guard timer == nil else { return }
        timer = LoopTimer(after: period) { [weak self] in
            guard let self else { return }
            timer = nil
            if visit() { begin() }
        }
    }

    func cancel() { timer = nil }
}
