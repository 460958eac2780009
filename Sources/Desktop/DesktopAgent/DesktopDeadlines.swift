// DesktopDeadlines: how long the agent waits for others.

/// What the agent waits for, at most for a time that can be set.
package enum DesktopDeadlineKind: String, Sendable, CaseIterable {
    /// The session bus, at the start and when it has gone. A bus that is gone for good has taken the session with it.
    case bus
    /// The user's answer to the question that a link asks.
    case question
    /// Each answer of evolution-data-server. Address books of servers may be slow to open.
    case addressBook = "address-book"
    /// A provider that reaches the emergency services, before the user is told that there is none.
    case emergency
    /// Other notifications, before a call that rings unseen behind them is posted anew.
    case banner
    /// A notification of a call that goes on, once the server has let it expire, before it is shown again.
    case reminder
    /// The time after a call has begun to ring, or to go on, for which media keys do nothing: they were meant for something
    /// else.
    case key

    fileprivate var standard: Int {
        switch self {
        case .bus: 10_000
        case .question: 120_000
        case .addressBook, .emergency, .reminder: 60_000
        case .banner: 5_000
        case .key: 600
        }
    }
}

/// The deadlines, in milliseconds.
package struct DesktopDeadlines: Sendable, Equatable {
    private var values: [DesktopDeadlineKind: Int] = [:]

    package init() {}

    package subscript(_ kind: DesktopDeadlineKind) -> Int {
        get { values[kind] ?? kind.standard }
        set { values[kind] = newValue }
    }
}
