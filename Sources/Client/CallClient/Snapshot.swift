// All objects of the daemon, read in one request.

import CallModel
package import DBus
import EventLoop

package typealias ManagedObjects = [ObjectPath: [String: VariantDictionary]]

/// The daemon's objects at one moment: calls sorted by their start, the others by name.
package struct Snapshot: Sendable, Equatable {
    package var calls: [Record] = []
    package var providers: [Record] = []
    package var plugins: [Record] = []
    /// The calls that have the number that is looked for, written in another way.
    package var sameNumber: Set<ObjectPath> = []

    package init(_ objects: ManagedObjects) {
        for (path, interfaces) in objects.sorted(by: { $0.key < $1.key }) {
            if let call = interfaces[Contract.call] {
                calls.append(Record(path, call))
            } else if let provider = interfaces[Contract.provider] {
                providers.append(Record(path, provider))
            } else if let plugin = interfaces[Contract.plugin] {
                plugins.append(Record(path, plugin))
            }
        }
        calls.sort {
            ($0.time(CallProperty.startedAt)?.microseconds ?? .max, $0.id) < (
                $1.time(CallProperty.startedAt)?.microseconds ?? .max, $1.id
            )
        }
    }

    /// Returns the id of a call's provider, whose object may disappear before its calls.
    package func providerID(of call: Record) -> String { Record.id(of: call.path(CallProperty.provider)) }

    /// Returns a text with the short ids that tables show in the place of calls' ids and paths.
    package func shortening(_ text: String) -> String {
        calls.reduce(text) { text, call in
            let short = call.id.prefix(shortLength)
            return text.replacing(call.path.text, with: short).replacing(call.id, with: short)
        }
    }

    /// The number of characters that distinguish the calls' ids; at least 8.
    package var shortLength: Int {
        let ids = calls.map(\.id)
        var length = 8
        while length < 36, Set(ids.map { $0.prefix(length) }).count < Set(ids).count { length += 1 }
        return length
    }
}
