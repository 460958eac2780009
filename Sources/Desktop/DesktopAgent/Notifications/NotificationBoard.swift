// NotificationBoard: keeps what the server shows equal to what we want shown.

import DBus
import EventLoop

/// The notifications that are wanted, by a key of ours. The board posts each one, changes it, withdraws it, and posts it
/// again when the server was replaced or has let go what must stay. One request for each notification is under way at a time.
@LoopActor
final class NotificationBoard {
    let server: NotificationServer

    private let journal: NotificationJournal
    private let deadlines: DesktopDeadlines
    private var entries: [String: NotificationEntry] = [:]
    /// What was closed before the server has told its id, while one is being posted.
    private var closedEarly: [UInt32: NotificationEvent.Closing] = [:]
    /// The ids in the journal.
    private var noted: [UInt32] = []
    private var lastSerial = 0
    /// GNOME shows no banner of what is posted while the tray is open, where a click has raised it.
    private lazy var banner = RepeatedBanner(wait: deadlines[.banner] / 2) { [weak self] keys in
        self?.postAnew(keys.filter { self?.entries[$0]?.emphasis == .raised })
    }

    private static let maximumRefusals = 5

    init(_ server: NotificationServer, _ journal: NotificationJournal, _ deadlines: DesktopDeadlines) {
        self.server = server
        self.journal = journal
        self.deadlines = deadlines
        server.onAppeared = { [weak self] in
            self?.closeNoted()
            self?.remind()
            for key in self?.keys ?? [] { self?.post(key) }
        }
        server.onChanged = { [weak self] in
            for key in self?.keys ?? [] { self?.post(key) }
        }
        server.onVanished = { [weak self] in self?.forgetPosted() }
        server.onEvent = { [weak self] in self?.handle($0) }
    }

    /// Shows a notification, or changes the one with this key.
    /// - Parameters:
    ///   - chosen: called with the key of the action that the user chooses.
    ///   - closed: called when the user has closed one that rings, or answered one that waits by closing it.
    func show(
        _ key: String, _ notification: DesktopNotification, chosen: @escaping @LoopActor (String) -> Void,
        closed: (@LoopActor () -> Void)? = nil
    ) {
        if var entry = entries[key] {
            entry.notification = notification
            entry.chosen = chosen
            entry.closed = closed
            entries[key] = entry
        } else {
            lastSerial += 1
            entries[key] = NotificationEntry(serial: lastSerial, notification, chosen: chosen, closed: closed)
            server.wake()
        }
        post(key)
    }

    func withdraw(_ key: String) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        // One that is being posted is withdrawn when its id is known.
        if !entry.isPosting, entry.id != 0 { server.withdraw(entry.id) }
        note()
    }

    /// Shows a notification again that its server may have closed with a click.
    func showAgain(_ key: String) {
        guard entries[key]?.isPosting == false else { return }
        entries[key]?.mustBePosted()
        comeBack(key)
    }

    /// Closes notifications and posts them in this order, as if they were new, where one is shown at a time.
    func postAnew(_ keys: [String]) {
        guard server.habits.showsOne else { return }
        let keys = keys.filter { entries[$0]?.isPosting == false && entries[$0]?.id != 0 }
        for key in keys { retract(key) }
        for key in keys { post(key) }
    }

    /// Shows again what has vanished without an answer.
    func remind() {
        for key in keys where entries[key]?.absence == .vanished { comeBack(key) }
    }

    /// Shows all again that the user has not answered, and the call that goes on over the windows.
    /// - Returns: whether there is any.
    func present() -> Bool {
        let waiting = keys.filter {
            entries[$0].map { $0.notification.stay != .brief && $0.absence != .answered } == true
        }
        for key in waiting { showAgain(key) }
        let isRinging = waiting.contains { entries[$0]?.notification.stay == .ringing }
        if !isRinging, let call = waiting.last(where: { entries[$0]?.notification.stay == .ongoing }) { raise(call) }
        return !waiting.isEmpty
    }

    func withdrawAll() { for key in keys { withdraw(key) } }

    /// The keys, oldest first.
    private var keys: [String] { entries.sorted { $0.value.serial < $1.value.serial }.map(\.key) }

    /// Shows over the windows what the user wants to see, and nothing else that the user wanted to see before.
    private func raise(_ key: String) {
        let before = keys.filter { entries[$0]?.emphasis == .raised && $0 != key }
        entries[key]?.emphasis = .raised
        post(key)
        banner.update([key])
        banner.restart()
        for other in before {
            entries[other]?.emphasis = .usual
            post(other)
        }
    }

    /// Lets all others make room for a call that rings and was posted: where one is shown at a time, they follow it.
    private func makeRoom() {
        let habits = server.habits
        for key in keys where entries[key]?.notification.stay != .ringing {
            if entries[key]?.emphasis == .raised { entries[key]?.emphasis = .usual }
            if habits.showsOne, !habits.listsLow, entries[key]?.isPosting == false { retract(key) }
            post(key)
        }
    }

    /// Nothing stands out beside a call that rings.
    private func emphasis(of entry: NotificationEntry) -> DrawnNotification.Emphasis {
        let isBeside =
            entry.notification.stay != .ringing && entries.values.contains { $0.notification.stay == .ringing }
        return isBeside && entry.emphasis == .usual ? .quiet : entry.emphasis
    }

    private func comeBack(_ key: String) {
        entries[key]?.comeBack()
        post(key)
    }

    /// Closes what is shown, in favour of something new.
    private func retract(_ key: String) {
        guard let id = entries[key]?.id, id != 0 else { return }
        server.withdraw(id)
        entries[key]?.retract()
    }

    /// The ids of another server mean nothing.
    private func forgetPosted() {
        for key in Array(entries.keys) { entries[key]?.forget() }
        closedEarly = [:]
    }

    /// Closes what an agent that was killed has left at this server.
    private func closeNoted() {
        for id in server.identity.map({ journal.read(of: $0) }) ?? [] { server.withdraw(id) }
        noted = []
        if let identity = server.identity { journal.write([], of: identity) }
    }

    /// Keeps the journal equal to what is shown.
    private func note() {
        let ids = entries.values.map(\.id).filter { $0 != 0 }.sorted()
        guard let identity = server.identity, ids != noted else { return }
        noted = ids
        journal.write(ids, of: identity)
    }

    private func post(_ key: String) {
        guard server.isReady, let entry = entries[key], entry.mayBePosted else { return }
        let drawn = server.drawn(entry.notification, emphasis(of: entry))
        guard drawn != entry.posted else { return }
        // Whether a change of the urgency changes where it is shown is left to no server.
        if server.habits.spoilsChanged || entry.posted.map({ $0.urgency != drawn.urgency }) == true { retract(key) }
        entries[key]?.isPosting = true
        let (id, owner) = (entries[key]?.id ?? 0, server.owner)
        server.show(drawn, replacing: id) { [weak self] result in
            self?.posted(key, entry.serial, drawn, by: owner, result)
        }
        if id == 0, entry.notification.stay == .ringing { makeRoom() }
    }

    private func posted(
        _ key: String, _ serial: Int, _ drawn: DrawnNotification, by owner: String?, _ result: Result<UInt32, DBusError>
    ) {
        guard entries[key]?.serial == serial else {
            // It was withdrawn meanwhile. The ids of another server mean nothing.
            if case .success(let id) = result, owner == server.owner { server.withdraw(id) }
            return
        }
        entries[key]?.isPosting = false
        switch result {
        case .success(let id):
            guard owner == server.owner else { return post(key) }
            entries[key]?.isShown(drawn, as: id)
            note()
            if let closing = closedEarly.removeValue(forKey: id) { handle(.closed(id: id, closing)) }
            post(key)
        case .failure:
            guard server.owner != nil, isRetried(key) else { return }
            entries[key]?.pause = LoopTimer(after: NotificationEntry.repostPause) { [weak self] in
                self?.entries[key]?.pause = nil
                self?.post(key)
            }
        }
        if !entries.values.contains(where: \.isPosting) { closedEarly = [:] }
    }

    /// Counts a refusal; false if there were too many.
    private func isRetried(_ key: String) -> Bool {
        entries[key]?.refusals += 1
        return (entries[key]?.refusals ?? .max) <= Self.maximumRefusals
    }

    // MARK: events

    private func handle(_ event: NotificationEvent) {
        switch event {
        case .action(let id, let action):
            let former = entries.first { $0.value.formerID == id && id != 0 }
            guard let (key, entry) = entry(shownAs: id) ?? former else { return }
            choose(action, key, entry)
        case .closed(let id, let closing):
            guard let (key, entry) = entry(shownAs: id) else {
                if entries.values.contains(where: \.isPosting) { closedEarly[id] = closing }
                return
            }
            close(key, entry, closing)
        }
    }

    private func choose(_ action: String, _ key: String, _ entry: NotificationEntry) {
        guard action == DrawnNotification.defaultKey else {
            entries[key]?.hasChosen = true
            if entry.emphasis == .raised { banner.stop() }
            return entry.chosen(action)
        }
        // Budgie sends it after each button.
        guard !entry.hasChosen else { return }
        if let click = entry.notification.click {
            entries[key]?.hasChosen = true
            entry.chosen(click.key)
        } else {
            raise(key)
        }
    }

    private func close(_ key: String, _ entry: NotificationEntry, _ reason: NotificationEvent.Closing) {
        let closing = entries[key]?.close(reason, habits: server.habits, reminder: deadlines[.reminder])
        if entry.notification.stay == .brief { entries[key] = nil }
        note()
        if let comeback = closing?.comeback {
            entries[key]?.comeback = LoopTimer(after: comeback) { [weak self] in self?.comeBack(key) }
        }
        if closing?.isMeant == true { entry.closed?() }
    }

    private func entry(shownAs id: UInt32) -> (key: String, value: NotificationEntry)? {
        entries.first { $0.value.id == id && id != 0 }
    }
}
