// All objects of the daemon, read in one request.

package import CallModel
package import DBus
import EventLoop

package typealias ManagedObjects = [ObjectPath: [String: VariantDictionary]]

/// The daemon's objects at one moment: calls sorted by their start, the others by name.
package struct Snapshot: Sendable, Equatable {
    package var calls: [PublishedCall] = []
    package var providers: [PublishedProvider] = []
    package var plugins: [Record] = []
    /// The calls that have the number that is looked for, written in another way.
    package var sameNumber: Set<ObjectPath> = []

    package init(_ objects: ManagedObjects) {
        for (path, interfaces) in objects.sorted(by: { $0.key < $1.key }) {
            switch Followed(path, interfaces) {
            case .call(let call): calls.append(call)
            case .provider(let provider): providers.append(provider)
            case .plugin(let plugin): plugins.append(plugin)
            case nil: break
            }
        }
        calls.sort { $0.order < $1.order }
    }

    /// Returns a text with the short ids that tables show in the place of calls' ids and paths.
    package func shortening(_ text: String) -> String {
        calls.reduce(text) { text, call in
            let short = shortID(of: call)
            return text.replacing(call.path.text, with: short).replacing(call.id.description, with: short)
        }
    }

    /// As much of a call's id as distinguishes it from those of the others.
    package func shortID(of call: PublishedCall) -> String { String(call.id.description.prefix(shortLength)) }

    package func stateText(of call: PublishedCall) -> String { call.stateText(idLength: shortLength) }

    /// The fewest characters of an id that are shown.
    package static let shortest = 8

    /// The number of characters that distinguish the calls' ids.
    package var shortLength: Int {
        let ids = calls.map(\.id.description)
        var length = Self.shortest
        while length < 36, Set(ids.map { $0.prefix(length) }).count < Set(ids).count { length += 1 }
        return length
    }
}
