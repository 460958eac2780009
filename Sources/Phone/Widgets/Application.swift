// Application: the program as the desktop knows it.

internal import CAdw
package import EventLoop

/// One in a session. It takes its name on the bus from a program that lets it go, and gives links and activations to the one
/// that is there already.
@LoopActor
package final class Application {
    let pointer: UnsafeMutablePointer<GtkApplication>

    private init(_ id: String) {
        let flags = G_APPLICATION_HANDLES_OPEN.rawValue | G_APPLICATION_REPLACE.rawValue
        pointer = UnsafeMutableRawPointer(adw_application_new(id, GApplicationFlags(rawValue: flags)))
            .assumingMemoryBound(to: GtkApplication.self)
    }

    private var application: UnsafeMutablePointer<GApplication> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GApplication.self)
    }

    private var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(pointer) }

    /// Runs the program to its end, with its loop, and returns its exit status. To be called on the main thread.
    package nonisolated static func run(_ id: String, _ begin: @LoopActor (Application) -> Void) -> Int32 {
        GuestLoop.attach()
        return LoopActor.assumeIsolated {
            let application = Application(id)
            begin(application)
            return g_application_run(application.application, CommandLine.argc, CommandLine.unsafeArgv)
        }
    }

    /// Called once, when it is known that this is the one in the session.
    package func onStart(_ handler: @escaping @LoopActor () -> Void) { connect(raw, "startup", handler) }

    package func onActivate(_ handler: @escaping @LoopActor () -> Void) { connect(raw, "activate", handler) }

    package func onOpen(_ handler: @escaping @LoopActor ([String]) -> Void) { connectOpen(raw, handler) }

    package func quit() { g_application_quit(application) }

    /// Owns another name on the bus, at which the same object is found.
    package func own(_ name: String) {
        guard let bus = g_application_get_dbus_connection(application) else { return }
        g_bus_own_name_on_connection(bus, name, G_BUS_NAME_OWNER_FLAGS_NONE, nil, nil, nil, nil)
    }

    /// Has keys such as `<Control>q` do something in all windows.
    package func add(_ action: String, keys: String, _ handler: @escaping @LoopActor () -> Void) {
        let simple = g_simple_action_new(action, nil)
        if let simple {
            connectAddress(UnsafeMutableRawPointer(simple), "activate") { _ in handler() }
            g_action_map_add_action(OpaquePointer(pointer), simple)
        }
        keys.withCString { keys in
            var list: [UnsafePointer<CChar>?] = [keys, nil]
            gtk_application_set_accels_for_action(pointer, "app.\(action)", &list)
        }
    }

    /// Adds rules of style.
    package func style(_ rules: String) {
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, rules, -1)
        if let display = gdk_display_get_default(), let provider {
            gtk_style_context_add_provider_for_display(display, OpaquePointer(provider), 600)
        }
    }
}
