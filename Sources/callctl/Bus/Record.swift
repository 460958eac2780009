// One object of the daemon, as it was read: a path and its properties.

import CallModel
import DBus
import EventLoop

/// An object below the daemon's root. Its properties are whatever the bus said: one that is missing or of another type
/// reads as empty.
struct Record: Sendable, Equatable {
    let path: ObjectPath
    var properties: VariantDictionary

    init(_ path: ObjectPath, _ properties: VariantDictionary) {
        self.path = path
        self.properties = properties
    }

    /// The last element of the path, in the form that people type: a call's UUID with dashes, else the element itself.
    var id: String { Self.id(of: path) }

    static func id(of path: ObjectPath) -> String {
        Contract.call(at: path.text)?.description ?? path.lastElement
    }

    func text(_ name: String) -> String { value(name) ?? "" }
    func flag(_ name: String) -> Bool { value(name) ?? false }
    func number(_ name: String) -> UInt32 { value(name) ?? 0 }
    func words(_ name: String) -> [String] { value(name) ?? [] }
    func path(_ name: String) -> ObjectPath { value(name) ?? .root }

    /// Nil for 0, which is how the bus says "not yet".
    func time(_ name: String) -> WallTime? {
        guard let microseconds: UInt64 = value(name), microseconds > 0 else { return nil }
        return WallTime(microseconds: microseconds)
    }

    private func value<T: DBusType>(_ name: String) -> T? {
        try? properties[name]?.value()
    }

    var json: JSON {
        .object([JSON.Member("Object", .string(path.text))] + properties.members)
    }
}
