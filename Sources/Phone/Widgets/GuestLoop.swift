// GuestLoop: the project's loop as a source of GLib's main loop.

internal import CAdw
internal import EventLoop

/// Has GLib's loop, which GTK runs, give the shared loop its turns. Everything of GTK is then the loop actor's.
enum GuestLoop {
    nonisolated(unsafe) private static var tag: gpointer?
    nonisolated(unsafe) private static var functions = GSourceFuncs(
        prepare: { _, timeout in
            let milliseconds = LoopActor.assumeIsolated { Loop.shared.timeToNextTurn }
            timeout?.pointee = milliseconds
            return milliseconds == 0 ? 1 : 0
        },
        check: { source in
            if g_source_query_unix_fd(source, GuestLoop.tag).rawValue != 0 { return 1 }
            return LoopActor.assumeIsolated { Loop.shared.timeToNextTurn == 0 } ? 1 : 0
        },
        dispatch: { _, _, _ in LoopActor.assumeIsolated { Loop.shared.turn() } ? 1 : 0 },
        finalize: nil, closure_callback: nil, closure_marshal: nil)

    /// To be called once, on the thread that will run GLib's loop.
    static func attach() {
        guard let descriptor = Loop.shared.join() else { return }
        let source = g_source_new(&functions, guint(MemoryLayout<GSource>.size))
        tag = g_source_add_unix_fd(source, descriptor, G_IO_IN)
        g_source_attach(source, nil)
        g_source_unref(source)
    }
}
