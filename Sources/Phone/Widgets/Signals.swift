// Signals of GObject as closures.

internal import CAdw
internal import EventLoop

/// What an object keeps of a closure, as long as the signal is connected.
private final class Handler<Body> {
    let body: Body
    init(_ body: Body) { self.body = body }

    static func body(at data: UInt) -> Body? {
        UnsafeRawPointer(bitPattern: data).map { Unmanaged<Handler>.fromOpaque($0).takeUnretainedValue().body }
    }
}

typealias Plain = @LoopActor () -> Void
typealias WithText = @LoopActor (String) -> Void
typealias WithAddress = @LoopActor (UInt) -> Void
typealias YesOrNo = @LoopActor () -> Bool
typealias Key = @LoopActor (UInt32, Bool) -> Bool

/// Connects to a signal without arguments, or whose argument does not matter: `notify` has one.
@LoopActor func connect(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping Plain) {
    if signal.hasPrefix("notify::") {
        let function: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            let data = UInt(bitPattern: data)
            LoopActor.assumeIsolated { Handler<Plain>.body(at: data)?() }
        }
        return connect(object, signal, Handler(body), unsafeBitCast(function, to: GCallback.self))
    }
    let function: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
        let data = UInt(bitPattern: data)
        LoopActor.assumeIsolated { Handler<Plain>.body(at: data)?() }
    }
    connect(object, signal, Handler(body), unsafeBitCast(function, to: GCallback.self))
}

/// A signal whose argument is a text.
@LoopActor func connectText(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping WithText) {
    let function: @convention(c) (gpointer?, UnsafePointer<CChar>?, gpointer?) -> Void = { _, text, data in
        let data = UInt(bitPattern: data)
        let text = text.map { String(cString: $0) } ?? ""
        LoopActor.assumeIsolated { Handler<WithText>.body(at: data)?(text) }
    }
    connect(object, signal, Handler(body), unsafeBitCast(function, to: GCallback.self))
}

/// A signal whose argument is an object or a number.
@LoopActor func connectAddress(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping WithAddress) {
    let function: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, argument, data in
        let (argument, data) = (UInt(bitPattern: argument), UInt(bitPattern: data))
        LoopActor.assumeIsolated { Handler<WithAddress>.body(at: data)?(argument) }
    }
    connect(object, signal, Handler(body), unsafeBitCast(function, to: GCallback.self))
}

/// A signal that asks whether the handler has taken care of it.
@LoopActor func connectAsked(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping YesOrNo) {
    let function: @convention(c) (gpointer?, gpointer?) -> gboolean = { _, data in
        let data = UInt(bitPattern: data)
        return LoopActor.assumeIsolated { Handler<YesOrNo>.body(at: data)?() ?? false } ? 1 : 0
    }
    connect(object, signal, Handler(body), unsafeBitCast(function, to: GCallback.self))
}

/// Keys that are pressed in a widget, before its children get them if `first`. The handler gets the key's symbol and whether
/// Ctrl, Alt or Super is held.
@LoopActor func connectKeys(
    _ widget: UnsafeMutablePointer<GtkWidget>, first: Bool, _ body: @escaping Key
) {
    let controller = gtk_event_controller_key_new()
    if first { gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE) }
    let function: @convention(c) (gpointer?, guint, guint, GdkModifierType, gpointer?) -> gboolean = {
        _, symbol, _, modifiers, data in
        let data = UInt(bitPattern: data)
        let mask = GDK_CONTROL_MASK.rawValue | GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue
        let isModified = modifiers.rawValue & mask != 0
        return LoopActor.assumeIsolated { Handler<Key>.body(at: data)?(symbol, isModified) ?? false } ? 1 : 0
    }
    if let controller {
        connect(
            UnsafeMutableRawPointer(controller), "key-pressed", Handler(body),
            unsafeBitCast(function, to: GCallback.self))
    }
    gtk_widget_add_controller(widget, controller)
}

/// The links that the desktop has the application open.
@LoopActor func connectOpen(_ object: UnsafeMutableRawPointer, _ body: @escaping @LoopActor ([String]) -> Void) {
    typealias Links = @LoopActor ([String]) -> Void
    typealias Files = UnsafeMutablePointer<OpaquePointer?>
    let function: @convention(c) (gpointer?, Files?, gint, UnsafePointer<CChar>?, gpointer?) -> Void = {
        _, files, count, _, data in
        let data = UInt(bitPattern: data)
        let links = (0..<Int(count)).compactMap { index -> String? in
            guard let file = files?[index], let text = g_file_get_uri(file) else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }
        LoopActor.assumeIsolated { Handler<Links>.body(at: data)?(links) }
    }
    connect(object, "open", Handler(body as Links), unsafeBitCast(function, to: GCallback.self))
}

private func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ handler: AnyObject, _ function: GCallback
) {
    g_signal_connect_data(
        object, signal, function, Unmanaged.passRetained(handler).toOpaque(),
        { data, _ in data.map { Unmanaged<AnyObject>.fromOpaque($0).release() } }, GConnectFlags(rawValue: 0))
}
