// DaemonPath: the fixed objects of the daemon.

import CallModel
package import DBus

/// The paths in `Contract` as values that a message takes.
package enum DaemonPath {
    package static let system = ObjectPath(Contract.rootPath) ?? .root
    package static let access = ObjectPath(Contract.accessPath) ?? .root
    package static let accounts = ObjectPath(Contract.accountsPath) ?? .root
    package static let audio = ObjectPath(Contract.audioPath) ?? .root
    package static let directory = ObjectPath(Contract.directoryPath) ?? .root
    package static let plugins = ObjectPath(Contract.pluginsPath) ?? .root
    package static let recents = ObjectPath(Contract.recentsPath) ?? .root
    package static let favorites = ObjectPath(Contract.favoritesPath) ?? .root
}
