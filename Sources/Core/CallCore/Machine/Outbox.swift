// What one input leads to, as it is put together.

import CallModel

/// Collects effects. Those that announce what happened follow those that do something, and replies come last.
struct Outbox: Sendable {
    let deadlines: Deadlines
    /// When the input came.
    private(set) var now = Instant(uptime: 0, date: 0)
    private var effects: [Effect] = []
    private var announcements: [Effect] = []
    private var replies: [Effect] = []

    init(_ deadlines: Deadlines) { self.deadlines = deadlines }

    /// Begins anew, for an input that came at `now`.
    mutating func begin(at now: Instant) { self = Outbox(deadlines, now) }

    private init(_ deadlines: Deadlines, _ now: Instant) {
        self.deadlines = deadlines
        self.now = now
    }

    mutating func append(_ effect: Effect) { effects.append(effect) }
    mutating func announce(_ effect: Effect) { announcements.append(effect) }
    mutating func reply(_ id: ReplyID, _ reply: Reply) { replies.append(.reply(id, reply)) }
    mutating func stop() { replies.append(.stop) }

    mutating func arm(_ timer: TimerID, after kind: DeadlineKind) {
        append(.arm(timer, at: now.advanced(byMilliseconds: deadlines[kind])))
    }

    mutating func note(_ kind: Anomaly.Kind, _ subject: Anomaly.Subject, _ text: String) {
        append(.anomaly(Anomaly(kind: kind, subject: subject, text: text)))
    }

    /// All effects in order.
    var all: [Effect] { effects + announcements + replies }

    /// The actions that are to be performed.
    var performs: [PerformedAction] {
        effects.compactMap { if case .perform(let action) = $0 { action } else { nil } }
    }

    /// Replaces the actions that are to be performed.
    mutating func replacePerforms(_ replace: (PerformedAction) -> PerformedAction) {
        effects = effects.map { effect in
            if case .perform(let action) = effect { .perform(replace(action)) } else { effect }
        }
    }
}
