// FileWatch: tells when a descriptor can be read or written.

internal import CSystem

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let readable = Readiness(rawValue: 1)
    public static let writable = Readiness(rawValue: 2)
    /// The other end is gone, or the descriptor is in error. Always reported, whether asked for or not.
    public static let hangUp = Readiness(rawValue: 4)

    init(epollEvents: UInt32) {
        self = []
        if epollEvents & ock_epoll_in != 0 { insert(.readable) }
        if epollEvents & ock_epoll_out != 0 { insert(.writable) }
        if epollEvents & (ock_epoll_hup | ock_epoll_err) != 0 { insert(.hangUp) }
    }

    var epollEvents: UInt32 {
        (contains(.readable) ? ock_epoll_in : 0) | (contains(.writable) ? ock_epoll_out : 0)
    }
}

/// Calls its handler whenever a descriptor is ready, until it is cancelled or dropped. It does not own the descriptor;
/// cancel the watch before closing it.
@LoopActor
public final class FileWatch {
    private var handler: (@LoopActor (Readiness) -> Void)?
    private var key: UInt64 = 0

    /// What is watched for. With an empty set, only `hangUp` is reported.
    public var events: Readiness {
        didSet {
            if events != oldValue, handler != nil { Reactor.shared.change(key, events) }
        }
    }

    /// Throws if the descriptor cannot be watched: it is closed, a plain file, or already watched.
    public init(
        _ descriptor: Int32, _ events: Readiness, handler: @escaping @LoopActor (Readiness) -> Void
    ) throws(SystemError) {
        self.events = events
        self.handler = handler
        key = try Reactor.shared.add(self, descriptor, events)
    }

    isolated deinit {
        cancel()
    }

    /// Stops the watch at once, even for events that were already found. May be called from the handler.
    public func cancel() {
        guard handler != nil else { return }
        handler = nil
        Reactor.shared.remove(key)
    }

    func deliver(_ readiness: Readiness) { handler?(readiness) }
}
