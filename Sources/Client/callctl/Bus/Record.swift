// One object of the daemon, as it was read: a path and its properties.

import CallModel
import DBus

/// An object below the daemon's root. Its properties are whatever the bus said.
struct Record: Readable, Sendable, Equatable {
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

    var json: JSON {
        .object([JSON.Member("Object", .string(path.text))] + properties.members)
    }
}
