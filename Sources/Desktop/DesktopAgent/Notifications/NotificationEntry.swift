// NotificationEntry: a notification that is wanted, and what has become of it.

import EventLoop

/// One of the board's notifications.
struct NotificationEntry {
    /// Why one that is wanted is not shown.
    enum Absence {
        /// The user has closed it, which is an answer: it is shown again only when what it says changes.
        case answered
        /// It went otherwise. It is shown again at the next occasion.
        case vanished
    }

    /// What follows from a close.
    struct Closing {
        /// Whether the user meant something by it.
        var isMeant = false
        /// After how long it is shown again; nil = at the next occasion.
        var comeback: Duration?
    }

    /// Tells it from an earlier one with the same key.
    let serial: Int
    var notification: DesktopNotification {
        didSet { if notification != oldValue { absence = nil } }
    }
    var chosen: @LoopActor (String) -> Void
    var closed: (@LoopActor () -> Void)?
    var emphasis = DrawnNotification.Emphasis.usual
    /// What was posted last, and is shown; nil if nothing is.
    private(set) var posted: DrawnNotification?
    /// The server's id of it; 0 if it is not shown.
    private(set) var id: UInt32 = 0
    /// The id before it was posted anew: a click may cross with that.
    private(set) var formerID: UInt32 = 0
    private(set) var absence: Absence?
    /// Whether the user has chosen an action of what is shown.
    var hasChosen = false
    var isPosting = false
    /// Ends the absence.
    var comeback: LoopTimer?
    /// Waits until the server may be asked again.
    var pause: LoopTimer?
    var refusals = 0
    /// How often the server has let go a call that rings.
    private var losses = 0

    /// Between attempts; Plasma refuses equal notifications within a second.
    static let repostPause = Duration.milliseconds(1_100)

    init(
        serial: Int, _ notification: DesktopNotification, chosen: @escaping @LoopActor (String) -> Void,
        closed: (@LoopActor () -> Void)?
    ) {
        self.serial = serial
        self.notification = notification
        self.chosen = chosen
        self.closed = closed
    }

    var mayBePosted: Bool { !isPosting && pause == nil && absence == nil }

    mutating func isShown(_ drawn: DrawnNotification, as id: UInt32) {
        posted = drawn
        self.id = id
        hasChosen = false
        refusals = 0
        comeBack()
    }

    /// Takes note that it is about to be posted anew.
    mutating func retract() {
        formerID = id
        forget()
    }

    /// Takes note that the server shows nothing of it, or nothing that counts.
    mutating func forget() {
        posted = nil
        id = 0
        refusals = 0
    }

    mutating func mustBePosted() { posted = nil }

    mutating func comeBack() {
        absence = nil
        comeback = nil
    }

    /// Takes note that the server has closed it.
    mutating func close(
        _ reason: NotificationEvent.Closing, habits: ServerHabits, reminder: Duration
    ) -> Closing {
        let hadButtons = posted?.hasButtons == true
        let hasExpired = reason == .expired && (posted?.timeout == -1 || habits.expiresAll)
        posted = nil
        id = 0
        absence = .vanished
        // What cannot expire was closed by the user. Some servers close what an action was chosen of.
        let isDismissed = (reason == .dismissed || (reason == .expired && !hasExpired)) && !hasChosen
        switch notification.stay {
        case .brief: return Closing()
        case .waiting:
            emphasis = .usual
            if isDismissed, hadButtons { absence = .answered }
            return Closing(isMeant: isDismissed && hadButtons)
        case .ongoing:
            emphasis = .usual
            // Where a list takes it, it disturbs nobody.
            let returnsToList = isDismissed && habits.listsLow
            return Closing(comeback: returnsToList ? Self.repostPause : hasExpired ? reminder : nil)
        case .ringing:
            if isDismissed { emphasis = .quiet }
            // A server that closes all at once is asked less and less often.
            losses += 1
            return Closing(isMeant: isDismissed, comeback: Self.repostPause * losses)
        }
    }
}
