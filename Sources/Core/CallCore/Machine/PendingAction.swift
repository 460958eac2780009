// A Perform on its way, and what becomes of it.

import CallModel

/// A Perform that its provider has not answered yet.
package final class PendingAction: Sendable {
    package enum Purpose: Sendable, Hashable {
        case requested
        /// Asked of a call in the way of another.
        case clearing
        case compensation
        /// Tells a provider that its call has ended or stays held; nobody waits for the answer.
        case notice
    }

    package let performed: PerformedAction
    package let purpose: Purpose
    let kind: ActionKind
    /// Why it is performed; what it does to its call happens for this cause.
    let cause: Cause
    /// What an `end` will be recorded as.
    let endReason: EndReason
    /// Of a resume, who held the call before; of a call that is put back on hold, for whom.
    let heldBy: HeldBy
    /// Of a set-group, the call that is to be joined and its group.
    let partners: [CallID]

    init(
        _ performed: PerformedAction, _ purpose: Purpose, cause: Cause, endReason: EndReason = .localEnded,
        heldBy: HeldBy = .user, partners: [CallID] = []
    ) {
        self.performed = performed
        self.purpose = purpose
        self.kind = performed.action.kind
        self.cause = cause
        self.endReason = endReason
        self.heldBy = heldBy
        self.partners = partners
    }

    var id: ActionID { performed.id }
    var call: CallID { performed.action.call }

    /// The same with another deadline.
    func due(at deadline: Instant) -> PendingAction {
        var performed = performed
        performed.deadline = deadline
        return PendingAction(
            performed, purpose, cause: cause, endReason: endReason, heldBy: heldBy, partners: partners)
    }
}

/// The actions under way on one call, oldest first: rarely more than one.
struct PendingActions: Sendable {
    private var first: PendingAction?
    private var others: [PendingAction] = []

    /// The oldest of one kind or of any; ends come before all.
    func oldest(_ kind: ActionKind?) -> PendingAction? {
        guard let first else { return nil }
        if others.isEmpty { return kind == nil || first.kind == kind ? first : nil }
        let meant = all.filter { kind == nil || $0.kind == kind }
        return meant.first { $0.kind == .end } ?? meant.first
    }

    var all: [PendingAction] { first.map { [$0] + others } ?? [] }

    mutating func append(_ action: PendingAction) {
        if first == nil { first = action } else { others.append(action) }
    }

    mutating func remove(_ id: ActionID) {
        if first?.id == id {
            first = others.isEmpty ? nil : others.removeFirst()
        } else {
            others.removeAll { $0.id == id }
        }
    }

    mutating func replace(_ action: PendingAction) {
        if first?.id == action.id { first = action }
        for index in others.indices where others[index].id == action.id { others[index] = action }
    }
}

/// How an action came out.
enum Outcome: Sendable, Hashable {
    /// `date` in µs since the epoch, 0 = now.
    case fulfilled(date: UInt64, engine: TranslationEngine = .default)
    /// `reason` in the provider's own words.
    case refused(reason: String)
    case timedOut
    case providerLost
    case callEnded
}

/// The last completions, so that a second or late answer can be told from nonsense.
struct SettledActions: Sendable {
    enum Ending: Sendable {
        case completed, timedOut
        /// It lost its meaning before its provider answered: one answer is still welcome.
        case overtaken
    }
    struct Entry: Sendable {
        let action: ActionID
        let provider: ProviderID
        var ending: Ending
    }

    static let capacity = 256
    private var entries: [Entry] = []
    private var oldest = 0

    /// Looks through all of them: it is the exception that somebody asks.
    subscript(id: ActionID) -> Entry? { entries.first { $0.action == id } }

    /// The answer to an overtaken action came after all.
    mutating func noteAnswer(to id: ActionID) {
        guard let index = entries.firstIndex(where: { $0.action == id }) else { return }
        entries[index].ending = .completed
    }

    mutating func note(_ action: PerformedAction, _ ending: Ending) {
        let entry = Entry(action: action.id, provider: action.provider, ending: ending)
        if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % Self.capacity
        }
    }
}
