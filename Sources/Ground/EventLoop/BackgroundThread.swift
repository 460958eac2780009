// BackgroundThread: work off the loop.

internal import CSystem
internal import Glibc
internal import Synchronization

/// A thread that does the work posted to it, in order. It ends when nothing refers to this object any more and all work is
/// done.
public final class BackgroundThread: Sendable {
    private typealias Work = @Sendable () -> Void

    /// What the thread and this object share.
    private final class Inbox: Sendable {
        /// Nil ends the thread.
        private let waiting = Mutex<[Work?]>([])
        /// An eventfd that counts what waits.
        private let bell: Int32

        init() throws(SystemError) {
            bell = eventfd(0, ock_eventfd_counting)
            if bell < 0 { throw .last("eventfd") }
        }

        deinit { close(bell) }

        func put(_ work: Work?) {
            waiting.withLock { $0.append(work) }
            eventfd_write(bell, 1)
        }

        func doAll() {
            while true {
                var count: eventfd_t = 0
                guard eventfd_read(bell, &count) == 0 || errno == EINTR else { return }
                let all = waiting.withLock { waiting in
                    defer { waiting.removeAll() }
                    return waiting
                }
                for work in all {
                    guard let work else { return }
                    work()
                }
            }
        }
    }

    private let inbox: Inbox

    /// - Parameters:
    ///   - name: The name of the thread in `ps` and `top`, at most 15 bytes.
    ///   - isAwaited: Whether somebody waits for the work. If not, the thread has a low priority.
    public init(_ name: String, isAwaited: Bool = false) throws(SystemError) {
        inbox = try Inbox()
        let start = Start(name: name, isAwaited: isAwaited, inbox: inbox)
        var identifier = pthread_t()
        let context = Unmanaged.passRetained(start)
        let code = pthread_create(
            &identifier, nil,
            { context in
                let start = context.map { Unmanaged<Start>.fromOpaque($0).takeRetainedValue() }
                start?.run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw SystemError(call: "pthread_create", code: code)
        }
        pthread_detach(identifier)
    }

    deinit { inbox.put(nil) }

    /// Does `work` after all work posted before it.
    public func post(_ work: @escaping @Sendable () -> Void) { inbox.put(work) }

    private final class Start: Sendable {
        private let name: String
        private let isAwaited: Bool
        private let inbox: Inbox

        init(name: String, isAwaited: Bool, inbox: Inbox) {
            self.name = name
            self.isAwaited = isAwaited
            self.inbox = inbox
        }

        func run() {
            ock_name_thread(name)
            if !isAwaited { Self.lowerPriority() }
            inbox.doAll()
        }

        /// Lowers that of this thread only, and of those that it starts, if it has the right to.
        private static func lowerPriority() {
            _ = nice(10)
            var none = sched_param()
            _ = sched_setscheduler(0, ock_sched_batch, &none)
        }
    }
}
