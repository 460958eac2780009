// DBus: libdbus behind typed Swift, on the event loop. It knows nothing of calls.
//
// From the ground up: text that libdbus may see (`ObjectPath`, `Signature`, the names), values (`DBusType`, `Struct`,
// `Variant`), `Message`, channels that carry messages (`Bus`, and `PrivateLink` between two processes), tables of what
// an object offers (`Interface`), and `ObjectTree`, which serves them on any channel. Everything is on `LoopActor`.
//
// libdbus aborts its caller on text it considers impossible, so nothing reaches it unchecked; as a second belt its
// warnings are made harmless before its first use.

internal import Glibc

enum LibDBus {
    /// Must be touched before libdbus is first used.
    static let isReady: Bool = setenv("DBUS_FATAL_WARNINGS", "0", 1) == 0
}
