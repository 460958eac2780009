// The memory of the call identifiers that were used.

import CallModel

/// Remembers at least the last 32,768 identifiers and at most twice as many.
///
/// An identifier that is used again after that many others counts as new. Apps choose identifiers at random, so
/// this happens only to an app that repeats one on purpose, and only to its own calls.
struct UsedIDs: Sendable {
    private static let generation = 32_768

    private var recent: Set<CallID> = []
    private var older: Set<CallID> = []

    func contains(_ id: CallID) -> Bool { recent.contains(id) || older.contains(id) }

    mutating func insert(_ id: CallID) {
        recent.insert(id)
        guard recent.count == Self.generation else { return }
        older = recent
        recent = []
    }
}
