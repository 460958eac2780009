// BusWatches: the descriptors of one libdbus connection, watched by the loop.
//
// libdbus has one watch for reading and one for writing, on the same descriptor; epoll knows a descriptor once.

internal import CDBus
internal import EventLoop

@LoopActor
final class BusWatches {
    private struct Entry {
        let watch: FileWatch
        var parts: [OpaquePointer]
    }

    nonisolated(unsafe) private let connection: OpaquePointer
    private let afterEvents: @LoopActor () -> Void
    private var entries: [Int32: Entry] = [:]
    /// While libdbus reads and writes; `afterEvents` follows.
    private(set) var isHandling = false

    init(_ connection: OpaquePointer, afterEvents: @escaping @LoopActor () -> Void) throws(DBusError) {
        self.connection = connection
        self.afterEvents = afterEvents
        let context = Unmanaged.passUnretained(self).toOpaque()
        let isSet = dbus_connection_set_watch_functions(
            connection, addWatch, removeWatch, toggleWatch, context, nil)
        if isSet == 0 { throw .noMemory }
    }

    func cancel() {
        _ = dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        entries = [:]
    }

    fileprivate func add(_ part: OpaquePointer) -> Bool {
        let descriptor = dbus_watch_get_unix_fd(part)
        if entries[descriptor] == nil {
            let watch = try? FileWatch(descriptor, []) { [weak self] readiness in
                self?.handle(descriptor, readiness)
            }
            guard let watch else { return false }
            entries[descriptor] = Entry(watch: watch, parts: [])
        }
        entries[descriptor]?.parts.append(part)
        update(descriptor)
        return true
    }

    fileprivate func remove(_ part: OpaquePointer) {
        for (descriptor, entry) in entries where entry.parts.contains(part) {
            entries[descriptor]?.parts.removeAll { $0 == part }
            if entry.parts.count == 1 {
                entry.watch.cancel()
                entries[descriptor] = nil
            } else {
                update(descriptor)
            }
        }
    }

    fileprivate func toggle(_ part: OpaquePointer) {
        update(dbus_watch_get_unix_fd(part))
    }

    private func update(_ descriptor: Int32) {
        guard let entry = entries[descriptor] else { return }
        var events: Readiness = []
        for part in entry.parts where dbus_watch_get_enabled(part) != 0 {
            let flags = dbus_watch_get_flags(part)
            if flags & DBUS_WATCH_READABLE.rawValue != 0 { events.insert(.readable) }
            if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { events.insert(.writable) }
        }
        entry.watch.events = events
    }

    private func handle(_ descriptor: Int32, _ readiness: Readiness) {
        dbus_connection_ref(connection)
        defer { dbus_connection_unref(connection) }
        isHandling = true
        var ready: UInt32 = 0
        if readiness.contains(.readable) { ready |= DBUS_WATCH_READABLE.rawValue }
        if readiness.contains(.writable) { ready |= DBUS_WATCH_WRITABLE.rawValue }
        // What was sent before the end came is read first; the end stays visible.
        let hangUp = readiness == .hangUp ? DBUS_WATCH_HANGUP.rawValue : 0
        for part in entries[descriptor]?.parts ?? [] {
            guard entries[descriptor]?.parts.contains(part) == true else { continue }
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
    isolated(part, context, ()) { $0.toggle($1) }
}
