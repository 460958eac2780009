// The daemon's objects as they change. Pure: it reads nothing by itself.

package import CallModel
import CallWire
package import DBus

/// The root, and calls, providers and plugins by path, kept up to date by the signals of the bus. Calls whose identity must be read,
/// which is never broadcast, are in `unidentified`.
package struct CallSystemState: Sendable {
    /// The properties of CallSystem1.
    package private(set) var root: Record
    package private(set) var calls: [ObjectPath: PublishedCall] = [:]
    package private(set) var providers: [ObjectPath: PublishedProvider] = [:]
    package private(set) var plugins: [ObjectPath: Record] = [:]
    private var unidentified: [ObjectPath] = []

    package init(root: VariantDictionary = [:]) {
        self.root = Record(DaemonPath.system, root)
    }

    package init(_ snapshot: Snapshot, root: VariantDictionary = [:]) {
        self.init(root: root)
        for call in snapshot.calls { calls[call.path] = call }
        for provider in snapshot.providers { providers[provider.path] = provider }
        for plugin in snapshot.plugins { plugins[plugin.path] = plugin }
        unidentified = snapshot.calls.filter { !$0.isIdentified }.map(\.path)
    }

    /// Returns the calls whose identity is new or has changed, and forgets them.
    package mutating func popUnidentified() -> [ObjectPath] {
        defer { unidentified = [] }
        return unidentified
    }

    /// - Returns: nil for an object that is not followed.
    package mutating func added(
        _ path: ObjectPath, _ interfaces: [String: VariantDictionary]
    ) -> CallSystemChange? {
        guard let object = Followed(path, interfaces) else { return nil }
        switch object {
        case .call(let call):
            calls[path] = call
            unidentified.append(path)
        case .provider(let provider): providers[path] = provider
        case .plugin(let plugin): plugins[path] = plugin
        }
        return .added(object)
    }

    /// - Returns: nil for an object that is not followed.
    package mutating func removed(_ path: ObjectPath, _ interfaces: [String]) -> CallSystemChange? {
        if interfaces.contains(Contract.call) {
            calls[path] = nil
            unidentified.removeAll { $0 == path }
        } else if interfaces.contains(Contract.provider) {
            providers[path] = nil
        } else if interfaces.contains(Contract.plugin) {
            plugins[path] = nil
        } else {
            return nil
        }
        return .removed(path, interfaces: interfaces)
    }

    /// - Returns: nil if the call has gone, or the identity is the one that was known.
    package mutating func identified(_ path: ObjectPath, _ identity: VariantDictionary) -> CallSystemChange? {
        guard let before = calls[path] else { return nil }
        var call = before
        call.identify(identity)
        guard call != before else { return nil }
        calls[path] = call
        return .identified(call: call, before: before, identity: identity)
    }

    package mutating func changed(
        _ path: ObjectPath, _ interface: String, _ values: VariantDictionary, invalidated: [String]
    ) -> CallSystemChange {
        let (now, before): (Followed?, Followed?)
        switch interface {
        case Contract.call:
            before = calls[path].map(Followed.call)
            calls[path]?.update(values)
            now = calls[path].map(Followed.call)
        case Contract.provider:
            before = providers[path].map(Followed.provider)
            providers[path]?.update(values)
            now = providers[path].map(Followed.provider)
        case Contract.plugin:
            before = plugins[path].map(Followed.plugin)
            plugins[path]?.properties.merge(values) { _, new in new }
            now = plugins[path].map(Followed.plugin)
        default:
            if interface == Contract.callSystem { root.properties.merge(values) { _, new in new } }
            (now, before) = (nil, nil)
        }
        if interface == Contract.callIdentity, calls[path] != nil, !unidentified.contains(path) {
            unidentified.append(path)
        }
        return .changed(
            path, interface: interface, values: values, invalidated: invalidated, now: now, before: before)
    }

    /// The call with an id; nil if it has no object any more.
    package func call(_ id: CallID?) -> PublishedCall? { id.flatMap { calls[.call($0)] } }

    /// The provider of a call; nil if it has left.
    package func provider(of call: PublishedCall) -> PublishedProvider? {
        call.providerPath.flatMap { providers[$0] }
    }
}
