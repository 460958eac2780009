// The fixed paths of the contract as values that libdbus accepts.

import CallModel
import DBus

extension ObjectPath {
    static let system: ObjectPath = "/org/opencallkit/CallSystem1"
    static let calls: ObjectPath = "/org/opencallkit/CallSystem1/calls"
    static let providers: ObjectPath = "/org/opencallkit/CallSystem1/providers"
    static let plugins: ObjectPath = "/org/opencallkit/CallSystem1/plugins"
    static let audio: ObjectPath = "/org/opencallkit/CallSystem1/audio"
    static let recents: ObjectPath = "/org/opencallkit/CallSystem1/recents"
    static let favorites: ObjectPath = "/org/opencallkit/CallSystem1/favorites"
    static let directory: ObjectPath = "/org/opencallkit/CallSystem1/directory"
    static let store: ObjectPath = "/org/opencallkit/CallSystem1/store"
}
