// What could not be looked at or started is tried again, and the log says so once.

import EventLoop
import Logging

@LoopActor
final class PluginRetries {
    /// The pauses between two attempts, in milliseconds; the last one repeats.
    private static let pauses = [1_000, 2_000, 5_000, 10_000, 30_000]

    private let log: Logger
    private let retry: @LoopActor () -> Void
    private var timer: LoopTimer?
    private var attempts = 0
    /// The folders that could not be read the last time.
    private var unread: [String: SystemError] = [:]

    init(log: Logger, retry: @escaping @LoopActor () -> Void) {
        self.log = log
        self.retry = retry
    }

    /// Takes in which folders a scan could not read, and whether it is to be repeated.
    func note(_ unread: [String: SystemError], isIncomplete: Bool) {
        for (folder, error) in unread where self.unread[folder] != error {
            log.warning(
                "plugin folder \(folder) could not be read: \(error); its plugins stay as they are, and it is read again"
            )
        }
        for folder in self.unread.keys where unread[folder] == nil {
            log.warning("plugin folder \(folder) is read again, or is gone")
        }
        self.unread = unread
        if isIncomplete { begin() } else if timer == nil { attempts = 0 }
    }

    /// Tries again after a pause, which grows as long as it is in vain.
    func begin() {
        guard timer == nil else { return }
        let pause = Self.pauses[min(attempts, Self.pauses.count - 1)]
        attempts += 1
        timer = LoopTimer(afterMilliseconds: pause) { [weak self] in
            self?.timer = nil
            self?.retry()
        }
    }

    func cancel() { timer = nil }
}
