// The effects of one input while they are collected.

import CallModel

/// Collects the effects of one input. Events are told after the changes of state that they are about.
struct Outbox: Sendable {
    let deadlines: Deadlines
    /// When the input came.
    private(set) var now = Instant(uptime: 0, date: 0)
    private var effects = Effects()
    private var announcements: [Effect] = []

    init(_ deadlines: Deadlines) { self.deadlines = deadlines }

    /// Begins anew, for an input that came at `now`.
    mutating func begin(at now: Instant) {
        self.now = now
        effects = Effects()
        announcements = []
    }

    mutating func append(_ effect: Effect) { effects.append(effect) }
    mutating func reply(_ id: ReplyID, _ reply: Reply) { effects.append(.reply(id, reply)) }
    mutating func announce(_ effect: Effect) { announcements.append(effect) }

    mutating func arm(_ timer: TimerID, after kind: DeadlineKind) {
        append(.arm(timer, at: now.advanced(byMilliseconds: deadlines[kind])))
    }

    mutating func note(_ kind: Anomaly.Kind, _ subject: Anomaly.Subject, _ text: String) {
        append(.anomaly(Anomaly(kind: kind, subject: subject, text: text)))
    }

    /// The actions that are to be performed.
    var performs: [PerformedAction] {
        effects.ask.compactMap { if case .perform(let action) = $0 { action } else { nil } }
    }

    /// Replaces the actions that are to be performed.
    mutating func replacePerforms(_ replace: (PerformedAction) -> PerformedAction) {
        effects.ask = effects.ask.map { effect in
            if case .perform(let action) = effect { .perform(replace(action)) } else { effect }
        }
    }

    /// Takes out all that was collected.
    mutating func close() -> Effects {
        for announcement in announcements { effects.append(announcement) }
        defer { begin(at: now) }
        return effects
    }
}
