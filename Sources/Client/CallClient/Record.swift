// One object of the daemon: its path and its properties.

import CallModel
package import DBus

/// An object below the daemon's root, with its properties as read from the bus.
package struct Record: Readable, Sendable, Equatable {
    package let path: ObjectPath
    package var properties: VariantDictionary

    package init(_ path: ObjectPath, _ properties: VariantDictionary) {
        self.path = path
        self.properties = properties
    }

    /// The id that people type: a call's UUID with dashes, otherwise the last element of the path.
    package var id: String { Self.id(of: path) }

    package static func id(of path: ObjectPath) -> String {
        Contract.call(at: path.text)?.description ?? path.lastElement
    }
}
