// Which providers do not answer in time, so that a silent one makes nobody wait twice.

import CallModel

/// Remembers, for each kind of action of the line, who answered in time and who did not. Bounded.
struct Silence: Sendable {
    /// How long a user's request that comes next waits for an answer.
    enum Patience: Sendable {
        /// For the deadline of the action.
        case deadline
        /// For the deadline `urgent` in all.
        case urgent
        case none
    }

    private struct Entry: Sendable, Hashable {
        let owner: Owner
        let kind: ActionKind
    }

    private static let capacity = 256
    /// The latest answer of each, or that it did not come; the latest last.
    private var entries: [(entry: Entry, answered: Bool)] = []

    private func index(of entry: Entry) -> Int? { entries.firstIndex { $0.entry == entry } }

    private subscript(entry: Entry) -> Bool? { index(of: entry).map { entries[$0].answered } }

    /// - Returns: whether this is news.
    mutating func note(_ kind: ActionKind, of owner: Owner, answered: Bool) -> Bool {
        let entry = Entry(owner: owner, kind: kind)
        let former = index(of: entry).map { entries.remove(at: $0).answered }
        entries.append((entry, answered))
        if entries.count > Self.capacity { entries.removeFirst() }
        return former != answered
    }

    /// Whether an action of any kind was not answered, and none of its kind since.
    func isSilent(_ owner: Owner) -> Bool { entries.contains { $0.entry.owner == owner && !$0.answered } }

    /// - Parameter isTrusted: whether it gets the whole deadline before it has shown that it answers.
    func patience(with owner: Owner, _ kind: ActionKind, isTrusted: Bool) -> Patience {
        switch self[Entry(owner: owner, kind: kind)] {
        case false?: .none
        case true?: .deadline
        case nil: isTrusted ? .deadline : .urgent
        }
    }
}
