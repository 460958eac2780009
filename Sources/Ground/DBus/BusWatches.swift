// BusWatches: the descriptor of one libdbus connection, watched by the loop.
//
// libdbus has one watch for reading and one for writing, on the same descriptor; epoll knows a descriptor once.

internal import CDBus
internal import EventLoop

@LoopActor
final class BusWatches {
    nonisolated(unsafe) private let connection: OpaquePointer
    private let afterEvents: @LoopActor () -> Void
    private var watch: FileWatch?
    private var parts: [OpaquePointer] = []
    private var isHandling = false
    /// Whether something waits until it can be written.
    private(set) var isWriting = false

    /// - Parameter afterEvents: called each time libdbus has read or written, when it reads again after a pause, and when it
    ///   has given up the descriptor.
    init(_ connection: OpaquePointer, afterEvents: @escaping @LoopActor () -> Void) throws(DBusError) {
        self.connection = connection
        self.afterEvents = afterEvents
        let context = Unmanaged.passUnretained(self).toOpaque()
        let isSet = dbus_connection_set_watch_functions(
            connection, addWatch, removeWatch, toggleWatch, context, nil)
        if isSet == 0 { throw .noMemory }
    }

    func cancel() {
        giveUp()
        _ = dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    }

    fileprivate func add(_ part: OpaquePointer) -> Bool {
        if watch == nil {
            let descriptor = dbus_watch_get_unix_fd(part)
            watch = try? FileWatch(descriptor, []) { [weak self] readiness in self?.handle(readiness) }
            guard watch != nil else { return false }
        }
        parts.append(part)
        update()
        return true
    }

    fileprivate func remove(_ part: OpaquePointer) {
        guard parts.contains(part) else { return }
        if parts.count > 1 {
            parts.removeAll { $0 == part }
            return update()
        }
        giveUp()
        // The connection was lost outside of reading: libdbus has queued a message about it.
        eventsFollow()
    }

    /// The descriptor is about to be closed.
    private func giveUp() {
        watch?.cancel()
        watch = nil
        parts = []
        isWriting = false
    }

    private func eventsFollow() {
        if !isHandling { Loop.shared.post { [weak self] in self?.afterEvents() } }
    }

    fileprivate func update() {
        var events: Readiness = []
        for part in parts where dbus_watch_get_enabled(part) != 0 {
            let flags = dbus_watch_get_flags(part)
            if flags & DBUS_WATCH_READABLE.rawValue != 0 { events.insert(.readable) }
            if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { events.insert(.writable) }
        }
        isWriting = events.contains(.writable)
        // Reading was paused because too many messages were unhandled; some may have been read before the pause.
        if events.contains(.readable), watch?.events.contains(.readable) == false { eventsFollow() }
        watch?.events = events
    }

    private func handle(_ readiness: Readiness) {
        dbus_connection_ref(connection)
        defer { dbus_connection_unref(connection) }
        isHandling = true
        var ready: UInt32 = 0
        if readiness.contains(.readable) { ready |= DBUS_WATCH_READABLE.rawValue }
        if readiness.contains(.writable) { ready |= DBUS_WATCH_WRITABLE.rawValue }
        // Messages that were sent before the end are read first; the end stays visible.
        let hangUp = readiness == .hangUp ? DBUS_WATCH_HANGUP.rawValue : 0
        for part in parts where parts.contains(part) {
            let isEnabled = dbus_watch_get_enabled(part) != 0
            let flags = (isEnabled ? ready & dbus_watch_get_flags(part) : 0) | hangUp
            if flags != 0 { dbus_watch_handle(part, flags) }
        }
        isHandling = false
        afterEvents()
    }
}

private func isolated<Value: Sendable>(
    _ part: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ fallback: Value,
    _ body: @LoopActor (BusWatches, OpaquePointer) -> Value
) -> Value {
    guard let part, let context else { return fallback }
    nonisolated(unsafe) let (watch, owner) = (part, context)
    return LoopActor.assumeIsolated {
        body(Unmanaged<BusWatches>.fromOpaque(owner).takeUnretainedValue(), watch)
    }
}

private func addWatch(_ part: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> dbus_bool_t {
    isolated(part, context, false) { $0.add($1) } ? 1 : 0
}

private func removeWatch(_ part: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
    isolated(part, context, ()) { $0.remove($1) }
}

private func toggleWatch(_ part: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
    isolated(part, context, ()) { watches, _ in watches.update() }
}
