// ActionBook: which action a reply to a Perform answers.

import CallCore
import CallModel
import DBus
import EventLoop

/// The latest actions that were sent to providers, by the serials of their Performs. An action that was answered stays, so
/// that a second answer finds it.
struct ActionBook {
    struct Key: Hashable {
        let channel: ObjectIdentifier
        let serial: UInt32

        @LoopActor init(_ channel: any MessageChannel, _ serial: UInt32) {
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

    subscript(key: Key) -> Entry? { entries[key] }

    /// The latest actions of a provider, answered or not.
    func actions(of provider: ProviderID) -> [ActionID] {
        entries.values.filter { $0.provider == provider }.map(\.action)
    }

    mutating func add(_ entry: Entry, _ key: Key) {
        if entries.count >= Self.capacity { forgetOlderHalf() }
        entries[key] = entry
    }

    private mutating func forgetOlderHalf() {
        let numbers = entries.values.map(\.action.number).sorted()
        let middle = numbers[numbers.count / 2]
        entries = entries.filter { $0.value.action.number >= middle }
    }
}
