// One object of the daemon: its path and its properties.

import CallModel
import DBus

/// An object below the daemon's root, with its properties as read from the bus.
struct Record: Readable, Sendable, Equatable {
    let path: ObjectPath
    var properties: VariantDictionary

    init(_ path: ObjectPath, _ properties: VariantDictionary) {
        self.path = path
        self.properties = properties
    }

    /// The id that people type: a call's UUID with dashes, otherwise the last element of the path.
    var id: String { Self.id(of: path) }

    static func id(of path: ObjectPath) -> String {
        Contract.call(at: path.text)?.description ?? path.lastElement
    }

    var json: JSON { .object([JSON.Member("object", .string(path.text))] + properties.propertyMembers) }
}
