// The root or a plugin: an object of the daemon with its properties.

import CallModel
package import DBus

/// The root or a plugin, with its properties as read from the bus.
package struct Record: Readable, Sendable, Equatable {
    package let path: ObjectPath
    package var properties: VariantDictionary

    package init(_ path: ObjectPath, _ properties: VariantDictionary) {
        self.path = path
        self.properties = properties
    }

    package var id: String { path.id }
    package var state: String { text("State") }
}

extension ObjectPath {
    /// The id that people type: a call's UUID with dashes, otherwise the last element of the path.
    package var id: String { Contract.call(at: text)?.description ?? lastElement }
}
