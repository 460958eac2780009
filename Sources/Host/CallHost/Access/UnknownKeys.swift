// Keys of an a{sv} that the contract does not have: the sender misspelled them, or is newer than the daemon.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// The unknown keys that each owner has sent. Each is noted once, those of one message together, as the anomaly
/// `unknown-key`.
@LoopActor
final class UnknownKeys {
    /// Of one owner.
    private static let maximum = 16
    /// Beyond so many, all are forgotten.
    private static let maximumOwners = 256
    private var noted: [Owner: Set<String>] = [:]

    /// - Returns: what their sender did, as an anomaly tells it; nil if they were noted before. Keys that may be a name or a
    ///   number are counted, and not quoted.
    func note(_ unknown: [String], by owner: Owner) -> String? {
        if noted[owner] == nil, noted.count >= Self.maximumOwners { noted = [:] }
        let former = noted[owner, default: []]
        let new = Set(unknown).subtracting(former).sorted()
        guard former.count < Self.maximum, !new.isEmpty else { return nil }
        noted[owner] = former.union(new.prefix(Self.maximum - former.count))
        let words = new.filter(\.isWord).prefix(Self.maximum).map { "\"\($0)\"" }
        if new.count == 1 {
            return words.first.map { "sent the unknown key \($0), which is ignored" }
                ?? "sent an unknown key, which is ignored"
        }
        let named = words.isEmpty ? "" : ": \(words.joined(separator: ", "))"
        return "sent \(new.count) unknown keys, which are ignored\(named)"
    }
}
