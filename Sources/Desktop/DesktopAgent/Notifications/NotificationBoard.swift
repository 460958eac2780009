// NotificationBoard: keeps what the server shows equal to what we want shown.

import DBus
import EventLoop

/// The notifications that are wanted, by a key of ours. The board posts each one, changes it, withdraws it, and posts it
/// again when the server was replaced. One request for each notification is under way at a time.
@LoopActor
final class NotificationBoard {
    let server: NotificationServer

    private struct Entry {
        /// Tells it from an earlier one with the same key.
        let serial: Int
        var notification: DesktopNotification
        var chosen: @LoopActor (String) -> Void
        var closed: (@LoopActor () -> Void)?
        /// What was posted last; nil before that.
        var posted: DesktopNotification?
        /// The server's id of it; 0 if it is not shown.
        var id: UInt32 = 0
        /// Whether it was closed, and so is shown again only when what it says changes.
        var isDismissed = false
        var isPosting = false
        /// Waits until the server may be asked again.
        var pause: LoopTimer?
        var refusals = 0
    }

    private let journal: NotificationJournal
    private var entries: [String: Entry] = [:]
    /// The ids in the journal.
    private var noted: [UInt32] = []
    private var lastSerial = 0

    /// Between attempts, if the server refuses; Plasma refuses equal notifications within a second.
    private static let pauseMilliseconds = 1_100
    private static let maximumRefusals = 5

    init(_ server: NotificationServer, _ journal: NotificationJournal) {
        self.server = server
        self.journal = journal
        server.onAppeared = { [weak self] in
            self?.closeNoted()
            self?.postAll()
        }
        server.onVanished = { [weak self] in self?.forgetPosted() }
        server.onEvent = { [weak self] in self?.handle($0) }
    }

    /// Shows a notification, or changes the one with this key.
    /// - Parameters:
    ///   - chosen: called with the key of the action that the user chooses.
    ///   - closed: called when the user or the server has closed it.
    func show(
        _ key: String, _ notification: DesktopNotification, chosen: @escaping @LoopActor (String) -> Void,
        closed: (@LoopActor () -> Void)? = nil
    ) {
        if var entry = entries[key] {
            if entry.notification != notification { entry.isDismissed = false }
            entry.notification = notification
            entry.chosen = chosen
            entry.closed = closed
            entries[key] = entry
        } else {
            lastSerial += 1
            entries[key] = Entry(serial: lastSerial, notification: notification, chosen: chosen, closed: closed)
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
        entries[key]?.posted = nil
        entries[key]?.isDismissed = false
        post(key)
    }

    func withdrawAll() { for key in Array(entries.keys) { withdraw(key) } }

    private func postAll() { for key in Array(entries.keys) { post(key) } }

    /// The ids of another server mean nothing.
    private func forgetPosted() {
        for key in Array(entries.keys) {
            entries[key]?.posted = nil
            entries[key]?.id = 0
            entries[key]?.refusals = 0
        }
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
        guard server.isReady, let entry = entries[key], !entry.isPosting, entry.pause == nil, !entry.isDismissed,
            entry.notification != entry.posted
        else { return }
        entries[key]?.isPosting = true
        let owner = server.owner
        server.show(entry.notification, replacing: entry.id) { [weak self] result in
            self?.posted(key, entry, by: owner, result)
        }
    }

    private func posted(
        _ key: String, _ entry: Entry, by owner: String?, _ result: Result<UInt32, DBusError>
    ) {
        guard entries[key]?.serial == entry.serial else {
            // It was withdrawn meanwhile. The ids of another server mean nothing.
            if case .success(let id) = result, owner == server.owner { server.withdraw(id) }
            return
        }
        entries[key]?.isPosting = false
        switch result {
        case .success(let id):
            guard owner == server.owner else { return post(key) }
            entries[key]?.posted = entry.notification
            entries[key]?.id = id
            entries[key]?.isDismissed = false
            entries[key]?.refusals = 0
            note()
            post(key)
        case .failure:
            guard server.owner != nil, isRetried(key) else { return }
            entries[key]?.pause = LoopTimer(afterMilliseconds: Self.pauseMilliseconds) { [weak self] in
                self?.entries[key]?.pause = nil
                self?.post(key)
            }
        }
    }

    /// Counts a refusal; false if there were too many.
    private func isRetried(_ key: String) -> Bool {
        entries[key]?.refusals += 1
        return (entries[key]?.refusals ?? .max) <= Self.maximumRefusals
    }

    private func handle(_ event: NotificationEvent) {
        switch event {
        case .action(let id, let action):
            guard let entry = entry(shownAs: id)?.value else { return }
            entry.chosen(action)
        case .closed(let id, let isMeant):
            guard let (key, entry) = entry(shownAs: id) else { return }
            entries[key]?.id = 0
            entries[key]?.isDismissed = isMeant
            if !entry.notification.isLasting { entries[key] = nil }
            note()
            entry.closed?()
        }
    }

    private func entry(shownAs id: UInt32) -> (key: String, value: Entry)? {
        entries.first { $0.value.id == id && id != 0 }
    }
}
