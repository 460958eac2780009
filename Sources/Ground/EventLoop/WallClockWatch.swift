// WallClockWatch: tells when the wall clock was set.

internal import CSystem
internal import Glibc

/// Calls its handler after each step of the wall clock: somebody has set it, or the machine was asleep. Dropping it ends that.
@LoopActor
public final class WallClockWatch {
    private let descriptor: Int32
    private var watch: FileWatch?

    /// - Throws: If the system does not tell it.
    public init(_ handler: @escaping @LoopActor () -> Void) throws(SystemError) {
        descriptor = ock_watch_wall_clock()
        guard descriptor >= 0 else { throw SystemError(call: "timerfd_create", code: errno) }
        do throws(SystemError) {
            try Self.arm(descriptor)
            watch = try FileWatch(descriptor, .readable) { [descriptor] _ in
                var expirations: UInt64 = 0
                _ = read(descriptor, &expirations, 8)
                try? Self.arm(descriptor)
                handler()
            }
        } catch {
            close(descriptor)
            throw error
        }
    }

    isolated deinit {
        watch?.cancel()
        if watch != nil { close(descriptor) }
    }

    private static func arm(_ descriptor: Int32) throws(SystemError) {
        guard ock_await_wall_clock(descriptor) == 0 else {
            throw SystemError(call: "timerfd_settime", code: errno)
        }
    }
}
