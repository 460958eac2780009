// The last settled actions, so that late and second answers can be told from invalid ones.

import CallModel

struct SettledActions: Sendable {
    enum Ending: Sendable {
        case completed, timedOut
        /// It was settled without its provider's answer; one answer is still accepted.
        case overtaken
    }
    struct Entry: Sendable {
        let action: ActionID
        let provider: ProviderID
        let call: CallID
        var ending: Ending
    }

    /// At least so many actions are remembered, and at most twice as many.
    private static let capacity = 256
    private var entries: [Entry] = []

    subscript(id: ActionID) -> Entry? { entries.first { $0.action == id } }

    /// The answer to an overtaken action came after all.
    mutating func noteAnswer(to id: ActionID) {
        guard let index = entries.firstIndex(where: { $0.action == id }) else { return }
        entries[index].ending = .completed
    }

    mutating func note(_ action: PerformedAction, _ ending: Ending) {
        entries.append(Entry(action: action.id, provider: action.provider, call: action.action.call, ending: ending))
        if entries.count > 2 * Self.capacity { entries.removeFirst(Self.capacity) }
    }
}
