// EvolutionBook: one address book of evolution-data-server.

import DBus
import EventLoop

/// Reads a book, and again whenever it tells that it has changed.
@LoopActor
final class EvolutionBook {
    let id: String
    /// How many contacts are in use.
    var count = 0

    private static let factoryPath: ObjectPath = "/org/gnome/evolution/dataserver/AddressBookFactory"
    private static let factory = "org.gnome.evolution.dataserver.AddressBookFactory"
    private static let book = "org.gnome.evolution.dataserver.AddressBook"
    private static let view = "org.gnome.evolution.dataserver.AddressBookView"
    /// Contacts with something to call.
    private static let query = "(or (exists \"phone\") (exists \"email\") (exists \"sip\"))"
    /// From a change until the book is read again; longer for a book that takes long.
    private static let pause = Duration.milliseconds(300)
    private static let longestPause = Duration.seconds(60)
    /// At most so large a share of the time is spent with reading: one of so many parts.
    private static let share = 10

    private let bus: Bus
    private let service: String
    private let timeout: Duration
    private let onCards: @LoopActor ([String]) -> Void
    /// Called once when the book is of no more use: it cannot be read, with the reason, or the process that serves it has
    /// gone.
    var onGone: (@LoopActor (DBusError?) -> Void)?
    private var owner = ""
    private var watch: NameWatch?
    private var path = ObjectPath.root
    private var changes: Subscription?
    private var timer: LoopTimer?
    private var isReading = false
    private var isOutdated = false
    private var isOver = false
    private var readingTime = Duration.zero

    /// - Parameters:
    ///   - service: the name of the factory.
    ///   - timeout: how long each answer may take.
    ///   - onCards: gets all vCards, whenever they have changed.
    init(
        _ id: String, of service: String, on bus: Bus, timeout: Duration,
        onCards: @escaping @LoopActor ([String]) -> Void
    ) {
        self.id = id
        self.timeout = timeout
        self.service = service
        self.bus = bus
        self.onCards = onCards
    }

    /// Opens the book and reads it.
    func open() async throws(DBusError) {
        let (opened, name): (String, String) = try await bus.call(
            to: service, at: Self.factoryPath, Self.factory, "OpenAddressBook", id, timeout: timeout)
        guard let path = ObjectPath(opened), !name.isEmpty else {
            throw DBusError(DBusError.Name.failed, "the address book has no object")
        }
        self.path = path
        owner = name
        watch = bus.watchName(name) { _ in
        } vanished: { [weak self] in
            self?.end(nil)
        }
        let _: [String] = try await bus.call(
            to: name, at: path, Self.book, "Open", timeout: timeout)
        // The view only tells that something has changed; the book is what is read.
        let viewPath: ObjectPath = try await bus.call(
            to: name, at: path, Self.book, "GetView", Self.query, timeout: timeout)
        guard !isOver else { return }
        changes = bus.subscribe(MatchRule(sender: name, path: viewPath, interface: Self.view)) { [weak self] message in
            if message.member?.hasPrefix("Objects") == true { self?.changed() }
        }
        try await bus.call(to: name, at: viewPath, Self.view, "Start", timeout: timeout)
        read()
    }

    func close() {
        isOver = true
        onGone = nil
        watch = nil
        changes = nil
        timer = nil
    }

    private func end(_ reason: DBusError?) {
        let tell = onGone
        onGone = nil
        tell?(reason)
    }

    private func changed() {
        guard timer == nil else { return }
        let pause = min(Self.longestPause, max(Self.pause, readingTime * Self.share))
        timer = LoopTimer(after: pause) { [weak self] in
            self?.timer = nil
            self?.read()
        }
    }

    private func cards() async throws(DBusError) -> [String] {
        try await bus.call(
            to: owner, at: path, Self.book, "GetContactList", Self.query, timeout: timeout)
    }

    private func read() {
        guard !isOver else { return }
        guard !isReading else { return isOutdated = true }
        isReading = true
        isOutdated = false
        let began = MonotonicTime.now
        Task {
            do throws(DBusError) {
                let cards = try await cards()
                if !isOver { onCards(cards) }
            } catch {
                end(error)
            }
            isReading = false
            readingTime = MonotonicTime.now.duration(since: began)
            if isOutdated { changed() }
        }
    }
}
