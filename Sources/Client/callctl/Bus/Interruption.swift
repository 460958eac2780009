// Interruption: what Ctrl-C says while a request is under way.

import EventLoop
import Glibc

@LoopActor
enum Interruption {
    private nonisolated static let text: StaticString =
        "\ncallctl: callkitd goes on with the request; see: callctl list\n"

    /// Whether SIGINT, which ends this process, says first that the daemon goes on with the request.
    static var isExplained = false {
        didSet {
            guard isExplained != oldValue else { return }
            // The handler does nothing but what signal-safety(7) allows.
            signal(SIGINT, isExplained ? explain : SIG_DFL)
        }
    }

    /// Ends this process as a signal would have, after it was taken note of.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        raise(number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        exit(128 + number)
    }

    private static let explain: @convention(c) (Int32) -> Void = { number in
        _ = Glibc.write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        signal(number, SIG_DFL)
        raise(number)
    }
}
