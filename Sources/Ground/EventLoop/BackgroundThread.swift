// BackgroundThread: work that nobody waits for, off the loop.

internal import CDBus
internal import Glibc
internal import Synchronization

/// A thread that does what it is given, one thing after another, and lets others go first where they want the processor.
/// Nothing that it was given is left out: it ends when all of it is done and nobody holds on to this object.
public final class BackgroundThread: Sendable {
    private typealias Work = @Sendable () -> Void

    /// What the thread and this object share.
    private final class Inbox: Sendable {
        /// An end is nil.
        private let waiting = Mutex<[Work?]>([])
        /// Counts what waits.
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

    /// - Parameter name: as the system shows it, at most 15 bytes.
    public init(_ name: String) throws(SystemError) {
        inbox = try Inbox()
        let start = Start(name: name, inbox: inbox)
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

    /// Has `work` done after all that was posted before.
    public func post(_ work: @escaping @Sendable () -> Void) { inbox.put(work) }

    private final class Start: Sendable {
        private let name: String
        private let inbox: Inbox

        init(name: String, inbox: Inbox) {
            self.name = name
            self.inbox = inbox
        }

        func run() {
            ock_name_thread(name)
            // Where it cannot be had, all is done nevertheless.
            _ = ock_stand_back()
            inbox.doAll()
        }
    }
}
