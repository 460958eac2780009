// SignalWatch: signals of the process as events of the loop.

internal import CSystem
internal import Glibc

/// Calls its handler for signals sent to the process, until it is cancelled or dropped.
///
/// The signals are blocked in the calling thread and in the threads it starts later, and stay so; call `block(_:)` at
/// the very start of `main` so that no thread is left out. Children start with no signal blocked.
@LoopActor
public final class SignalWatch {
    private let descriptor: Int32
    private var watch: FileWatch?

    public init(_ signals: [Int32], handler: @escaping @LoopActor (Int32) -> Void) throws(SystemError) {
        SignalWatch.block(signals)
        var set = SignalWatch.set(of: signals)
        descriptor = signalfd(-1, &set, ock_signalfd_flags)
        guard descriptor >= 0 else { throw .last("signalfd") }
        watch = try FileWatch(descriptor, .readable) { [weak self] _ in
            var information = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            while let self, self.watch != nil, read(self.descriptor, &information, size) == size {
                handler(Int32(information.ssi_signo))
            }
        }
    }

    isolated deinit {
        cancel()
        if descriptor >= 0 { close(descriptor) }
    }

    /// Stops the watch. The signals stay blocked.
    public func cancel() {
        watch?.cancel()
        watch = nil
    }

    /// Blocks `signals` in the calling thread and all threads that it starts from now on.
    nonisolated public static func block(_ signals: [Int32]) {
        var set = set(of: signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    nonisolated private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }
}
