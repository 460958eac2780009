// What happens in the call system, as a client sees it.

package import DBus

/// A change of the daemon's objects, or a signal that is more than a change.
package enum CallSystemChange: Sendable, Equatable {
    /// The bus has gone, and the daemon with it.
    case busLost
    /// The daemon is there, with these objects. Their calls are `identified` soon after.
    case appeared(Snapshot)
    /// The daemon is not there, or has left.
    case vanished

    /// A call, a provider or a plugin is new; `interface` tells which.
    case added(Record, interface: String)
    case removed(ObjectPath, interfaces: [String])
    /// The identity of a call was read. `call` is the whole record, `before` the one without it.
    case identified(call: Record, before: Record, identity: VariantDictionary)
    /// Properties of an object have changed. `record` and `before` are nil for an object that is not followed.
    case changed(
        ObjectPath, interface: String, values: VariantDictionary, invalidated: [String], record: Record?,
        before: Record?)

    // Signals
    case ended(ObjectPath, reason: String, origin: String)
    case filtered(provider: ObjectPath, reason: String, source: String, row: Int64)
    case resumeSuggested(ObjectPath)
    case anomaly(kind: String, object: ObjectPath, text: String)
    /// A row of the recents was added, changed or deleted; 0 stands for any rows.
    case recentsChanged(Int64)
    /// Numbers of a directory have changed, or the user's own rules for `user`.
    case directoryChanged(String)
}
