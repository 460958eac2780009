// EvolutionBook: one address book of evolution-data-server.

import DBus
import EventLoop

/// Reads a book, and again whenever it tells that it has changed.
@LoopActor
final class EvolutionBook {
    let id: String
    private(set) var count = 0

    private static let factoryPath: ObjectPath = "/org/gnome/evolution/dataserver/AddressBookFactory"
    private static let factory = "org.gnome.evolution.dataserver.AddressBookFactory"
    private static let book = "org.gnome.evolution.dataserver.AddressBook"
    private static let view = "org.gnome.evolution.dataserver.AddressBookView"
    /// Contacts with something to call.
    private static let query = "(or (exists \"phone\") (exists \"email\") (exists \"sip\"))"
    private static let maximumContacts = 50_000
    /// Books of servers may be slow to open.
    private static let timeout = 60_000
    /// From a change until the book is read again, in milliseconds.
    private static let pause = 300

    private let bus: Bus
    private let service: String
    private let onCards: @LoopActor ([String]) -> Void
    /// Called once when the process that serves the open book has gone.
    var onGone: (@LoopActor () -> Void)?
    private var owner = ""
    private var watch: NameWatch?
    private var path = ObjectPath.root
    private var changes: Subscription?
    private var timer: LoopTimer?
    private var isReading = false
    private var isOutdated = false
    private var isOver = false

    /// - Parameters:
    ///   - service: the name of the factory.
    ///   - onCards: gets all vCards, whenever they have changed.
    init(_ id: String, of service: String, on bus: Bus, onCards: @escaping @LoopActor ([String]) -> Void) {
        self.id = id
        self.service = service
        self.bus = bus
        self.onCards = onCards
    }

    /// Opens the book and reads it.
    func open() async throws(DBusError) {
        let (opened, name): (String, String) = try await bus.call(
            to: service, at: Self.factoryPath, Self.factory, "OpenAddressBook", id, timeoutMilliseconds: Self.timeout)
        guard let path = ObjectPath(opened), !name.isEmpty else {
            throw DBusError(DBusError.Name.failed, "the address book has no object")
        }
        self.path = path
        owner = name
        watch = bus.watchName(name) { _ in
        } vanished: { [weak self] in
            self?.onGone?()
            self?.onGone = nil
        }
        let _: [String] = try await bus.call(
            to: name, at: path, Self.book, "Open", timeoutMilliseconds: Self.timeout)
        // The view only tells that something has changed; the book is what is read.
        let viewPath: ObjectPath = try await bus.call(
            to: name, at: path, Self.book, "GetView", Self.query, timeoutMilliseconds: Self.timeout)
        guard !isOver else { return }
        changes = bus.subscribe(MatchRule(sender: name, path: viewPath, interface: Self.view)) { [weak self] message in
            if message.member?.hasPrefix("Objects") == true { self?.changed() }
        }
        try await bus.call(to: name, at: viewPath, Self.view, "Start", timeoutMilliseconds: Self.timeout)
        read()
    }

    func close() {
        isOver = true
        onGone = nil
        watch = nil
        changes = nil
        timer = nil
    }

    private func changed() {
        guard timer == nil else { return }
        timer = LoopTimer(afterMilliseconds: Self.pause) { [weak self] in
            self?.timer = nil
            self?.read()
        }
    }

    private func read() {
        guard !isOver else { return }
        guard !isReading else { return isOutdated = true }
        isReading = true
        isOutdated = false
        Task {
            let cards: [String]? = try? await bus.call(
                to: owner, at: path, Self.book, "GetContactList", Self.query, timeoutMilliseconds: Self.timeout)
            isReading = false
            guard !isOver else { return }
            if let cards {
                count = min(cards.count, Self.maximumContacts)
                onCards(Array(cards.prefix(Self.maximumContacts)))
            }
            if isOutdated { read() }
        }
    }
}
