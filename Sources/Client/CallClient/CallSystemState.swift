// The daemon's objects as they change. Pure: it reads nothing by itself.

import CallModel
package import DBus

/// The root, and calls, providers and plugins by path, kept up to date by the signals of the bus. Calls whose identity must be read,
/// which is never broadcast, are in `unidentified`.
package struct CallSystemState: Sendable {
    /// The properties of CallSystem1.
    package private(set) var root: Record
    package private(set) var calls: [ObjectPath: Record] = [:]
    package private(set) var providers: [ObjectPath: Record] = [:]
    package private(set) var plugins: [ObjectPath: Record] = [:]
    private var unidentified: [ObjectPath] = []

    package init(root: VariantDictionary = [:]) {
        self.root = Record(DaemonPath.system, root)
    }

    package init(_ snapshot: Snapshot, root: VariantDictionary = [:]) {
        self.init(root: root)
        calls = Self.byPath(snapshot.calls)
        providers = Self.byPath(snapshot.providers)
        plugins = Self.byPath(snapshot.plugins)
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
        if let properties = interfaces[Contract.call] {
            calls[path] = Record(path, properties)
            unidentified.append(path)
            return .added(Record(path, properties), interface: Contract.call)
        }
        if let properties = interfaces[Contract.provider] {
            providers[path] = Record(path, properties)
            return .added(Record(path, properties), interface: Contract.provider)
        }
        if let properties = interfaces[Contract.plugin] {
            plugins[path] = Record(path, properties)
            return .added(Record(path, properties), interface: Contract.plugin)
        }
        return nil
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
        call.properties.merge(identity) { _, new in new }
        guard call != before else { return nil }
        calls[path] = call
        return .identified(call: call, before: before, identity: identity)
    }

    package mutating func changed(
        _ path: ObjectPath, _ interface: String, _ values: VariantDictionary, invalidated: [String]
    ) -> CallSystemChange {
        let before: Record?
        let record: Record?
        switch interface {
        case Contract.call: (before, record) = Self.merge(values, into: &calls[path])
        case Contract.provider: (before, record) = Self.merge(values, into: &providers[path])
        case Contract.plugin: (before, record) = Self.merge(values, into: &plugins[path])
        case Contract.callSystem:
            before = root
            root.properties.merge(values) { _, new in new }
            record = root
        default: (before, record) = (nil, nil)
        }
        if interface == Contract.callIdentity, calls[path] != nil, !unidentified.contains(path) {
            unidentified.append(path)
        }
        return .changed(
            path, interface: interface, values: values, invalidated: invalidated, record: record, before: before)
    }

    private static func byPath(_ records: [Record]) -> [ObjectPath: Record] {
        Dictionary(records.map { ($0.path, $0) }) { first, _ in first }
    }

    /// Returns the record before and after.
    private static func merge(_ values: VariantDictionary, into record: inout Record?) -> (Record?, Record?) {
        let before = record
        record?.properties.merge(values) { _, new in new }
        return (before, record)
    }
}
