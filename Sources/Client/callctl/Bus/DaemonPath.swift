// DaemonPath: the fixed objects of the daemon.

import CallModel
import DBus

/// The paths in `Contract` as values that a message takes.
enum DaemonPath {
    static let system = ObjectPath(Contract.rootPath) ?? .root
    static let directory = ObjectPath(Contract.directoryPath) ?? .root
    static let plugins = ObjectPath(Contract.pluginsPath) ?? .root
    static let recents = ObjectPath(Contract.recentsPath) ?? .root
    static let favorites = ObjectPath(Contract.favoritesPath) ?? .root
}
