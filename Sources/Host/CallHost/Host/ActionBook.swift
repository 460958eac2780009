// ActionBook: which action a reply to a Perform answers.

import CallCore
import CallModel
import DBus
import EventLoop

/// The latest actions that were sent to providers, by the serials of their Performs. An action that was answered stays, so
/// that a second answer finds it.
@LoopActor
struct ActionBook {
    struct Key: Hashable {
        let channel: ObjectIdentifier
        let serial: UInt32

        init(_ channel: any MessageChannel, _ serial: UInt32) {
            self.channel = ObjectIdentifier(channel)
            self.serial = serial
        }
    }

    struct Entry {
        let action: ActionID
        let provider: ProviderID
        let peer: ProviderPeer
    }

    private static let capacity = 1_024
    private var entries: [Key: Entry] = [:]

    nonisolated init() {}

    subscript(key: Key) -> Entry? { entries[key] }

    /// The latest actions of a provider, answered or not.
    func actions(of provider: ProviderID) -> [ActionID] {
        entries.values.filter { $0.provider == provider }.map(\.action)
    }

    mutating func add(_ entry: Entry, _ key: Key) {
        entries[key] = entry
        guard entries.count > Self.capacity else { return }
        let oldest = entries.min { $0.value.action.number < $1.value.action.number }
        if let oldest { entries[oldest.key] = nil }
    }
}
