// What happens in the call system, as a client sees it.

package import CallModel
package import DBus

/// An object that a client follows.
package enum Followed: Sendable, Equatable {
    case call(PublishedCall)
    case provider(PublishedProvider)
    case plugin(Record)

    /// - Returns: nil for an object that is not followed.
    init?(_ path: ObjectPath, _ interfaces: [String: VariantDictionary]) {
        if let properties = interfaces[Contract.call], let call = PublishedCall(path, properties) {
            self = .call(call)
        } else if let properties = interfaces[Contract.provider],
            let provider = PublishedProvider(path, properties)
        {
            self = .provider(provider)
        } else if let properties = interfaces[Contract.plugin] {
            self = .plugin(Record(path, properties))
        } else {
            return nil
        }
    }
}

/// A change of the daemon's objects, or a signal that is more than a change.
package enum CallSystemChange: Sendable, Equatable {
    /// The bus has gone, and the daemon with it.
    case busLost
    /// The daemon is there, with these objects. Their calls are `identified` soon after.
    case appeared(Snapshot)
    /// The daemon is not there, or has left.
    case vanished

    case added(Followed)
    case removed(ObjectPath, interfaces: [String])
    /// The identity of a call was read. `before` is the call without it.
    case identified(call: PublishedCall, before: PublishedCall, identity: VariantDictionary)
    /// Properties of an object have changed. `now` and `before` are nil for an object that is not followed.
    case changed(
        ObjectPath, interface: String, values: VariantDictionary, invalidated: [String], now: Followed?,
        before: Followed?)

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
