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

    fileprivate var standard: Duration {
        switch self {
        case .bus: .seconds(10)
        case .question: .seconds(120)
        case .addressBook, .emergency, .reminder: .seconds(60)
        case .banner: .seconds(5)
        case .key: .milliseconds(600)
        }
    }
}

/// How long the agent waits for each.
package struct DesktopDeadlines: Sendable, Equatable {
    private var values: [DesktopDeadlineKind: Duration] = [:]

    package init() {}

    package subscript(_ kind: DesktopDeadlineKind) -> Duration {
        get { values[kind] ?? kind.standard }
        set { values[kind] = newValue }
    }
}
