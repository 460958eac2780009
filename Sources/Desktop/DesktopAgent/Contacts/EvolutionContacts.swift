// EvolutionContacts: copies the address books of evolution-data-server for callkit-store.

import CallModel
package import DBus
package import EventLoop
import Files
import Logging

/// Follows the address books of a user who has evolution-data-server, and keeps copies of their vCards in the runtime
/// directory. It is never started for a user who does not use it.
@LoopActor
package final class EvolutionContacts: DesktopPart {
    package let name = "contacts"

    private static let prefix = "org.gnome.evolution.dataserver."
    private static let root: ObjectPath = "/org/gnome/evolution/dataserver"
    private static let managerPath: ObjectPath = "/org/gnome/evolution/dataserver/SourceManager"
    private static let source = "org.gnome.evolution.dataserver.Source"
    private static let maximumBooks = 32
    private static let maximumContacts = 50_000
    /// The longest id of a book, in bytes: evolution-data-server has a file of that name.
    private static let maximumID = 255
    /// More complaints than about all books.
    private static let maximumComplaints = 200

    private let context: DesktopContext
    private let mirror: ContactsMirror?
    private var bus: Bus?
    private var watch: NameWatch?
    private var changes: Subscription?
    private var books: [String: EvolutionBook] = [:]
    private var state = PartStatus.waiting("no session bus")
    private var isReading = false
    private var isOutdated = false
    /// Waits until books that could not be opened, or have gone, are opened again.
    private var retry: LoopTimer?
    private var pause = EvolutionContacts.shortestPause
    private var complaints: Set<String> = []

    /// Twice as long each time, until a book is read again.
    private static let shortestPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(3600)

    package init(_ context: DesktopContext) {
        self.context = context
        mirror = ContactsMirror(environment: context.environment)
    }

    package var status: PartStatus {
        guard state.isReady else { return state }
        return .ready("\(books.values.reduce(0) { $0 + $1.count }) contacts in \(books.count) address books")
    }

    package func connected(to bus: Bus) {
        self.bus = bus
        Task { await begin(on: bus) }
    }

    package func disconnected() {
        bus = nil
        watch = nil
        changes = nil
        closeBooks()
        state = .waiting("no session bus")
    }

    package func stop() async { closeBooks() }

    private func closeBooks() {
        for book in books.values { book.close() }
        books = [:]
        retry = nil
    }

    // MARK: the service

    /// Finds the service, whose names have numbers that change from year to year.
    private func begin(on bus: Bus) async {
        let driver = "org.freedesktop.DBus"
        let known: [String] =
            (try? await bus.call(to: driver, at: "/org/freedesktop/DBus", driver, "ListActivatableNames")) ?? []
        let running: [String] =
            (try? await bus.call(to: driver, at: "/org/freedesktop/DBus", driver, "ListNames")) ?? []
        guard self.bus === bus else { return }
        guard let sources = Self.name("Sources", in: running + known),
            let factory = Self.name("AddressBook", in: running + known)
        else { return end("evolution-data-server is not installed") }
        watch = bus.watchName(sources) { [weak self] _ in
            self?.appeared(sources, factory, on: bus)
        } vanished: { [weak self] in
            self?.vanished()
        }
        guard running.contains(sources) || isInUse else { return end("evolution-data-server is not in use") }
        readBooks(sources, factory, on: bus)
    }

    private static func name(_ word: String, in names: [String]) -> String? {
        let start = prefix + word
        return names.filter { $0.hasPrefix(start) && $0.dropFirst(start.count).allSatisfy(\.isNumber) }.max()
    }

    /// Whether the user has address books there.
    private var isInUse: Bool {
        [BaseFolder.data, .config].compactMap { $0.path(in: context.environment) }
            .contains { (try? FileStatus("\($0)/evolution"))?.kind == .folder }
    }

    private func end(_ reason: String) {
        state = .waiting(reason)
        mirror?.keep(only: [])
    }

    private func appeared(_ sources: String, _ factory: String, on bus: Bus) {
        changes = bus.subscribe(MatchRule(sender: sources, pathNamespace: Self.root)) { [weak self] message in
            guard
                message.interface == StandardInterface.objectManager
                    || message.interface == StandardInterface.properties
            else { return }
            self?.readBooks(sources, factory, on: bus)
        }
        readBooks(sources, factory, on: bus)
    }

    /// The copies stay: the contacts are still the user's.
    private func vanished() {
        changes = nil
        closeBooks()
        if state.isReady { state = .waiting("evolution-data-server has gone") }
    }

    // MARK: the books

    /// Reads which books there are; changes meanwhile lead to one more reading.
    private func readBooks(_ sources: String, _ factory: String, on bus: Bus) {
        guard !isReading else { return isOutdated = true }
        isReading = true
        isOutdated = false
        Task {
            let answer: Result<[ObjectPath: [String: VariantDictionary]], DBusError>
            do throws(DBusError) {
                answer = .success(
                    try await bus.call(
                        to: sources, at: Self.managerPath, StandardInterface.objectManager, "GetManagedObjects",
                        timeout: context.deadlines[.addressBook]))
            } catch {
                answer = .failure(error)
            }
            isReading = false
            guard self.bus === bus else { return }
            switch answer {
            case .success(let objects):
                openBooks(objects.values.compactMap { Self.book($0[Self.source]) }, factory, on: bus)
            case .failure(let error):
                // A service that is not there is told by the status.
                if error.name != DBusError.Name.serviceUnknown {
                    complain("the address books of evolution-data-server cannot be listed: \(error.name)")
                }
                retryLater(factory, on: bus)
            }
            if isOutdated { readBooks(sources, factory, on: bus) }
        }
    }

    /// Returns the id of a source that is an address book in use.
    private static func book(_ source: VariantDictionary?) -> String? {
        guard let source, let id: String = try? source["UID"]?.value(), let data: String = try? source["Data"]?.value(),
            (1...maximumID).contains(id.utf8.count), data.utf8.count < ConfigurationText.longest
        else { return nil }
        let lines = ConfigurationText(data).entries
        let isBook = lines.contains { $0.key == "[Address Book]" }
        let isEnabled = !lines.contains { $0.key == "Enabled" && $0.value == "false" }
        return isBook && isEnabled ? id : nil
    }

    private func openBooks(_ ids: [String], _ factory: String, on bus: Bus) {
        let wanted = Set(ids.sorted().prefix(Self.maximumBooks))
        if ids.count > Self.maximumBooks {
            complain("evolution-data-server has over \(Self.maximumBooks) address books; the others are not used")
        }
        state = .ready("")
        mirror?.keep(only: wanted)
        for (id, book) in books where !wanted.contains(id) {
            book.close()
            books[id] = nil
        }
        for id in wanted where books[id] == nil {
            let book = EvolutionBook(id, of: factory, on: bus, timeout: context.deadlines[.addressBook]) {
                [weak self] cards in self?.write(cards, of: id)
            }
            books[id] = book
            book.onGone = { [weak self, weak book] reason in
                if let self, let book { lose(book, reason, factory, on: bus) }
            }
            Task {
                do throws(DBusError) {
                    try await book.open()
                } catch {
                    lose(book, error, factory, on: bus)
                }
            }
        }
    }

    /// Gives up a book that cannot be read now, and tries again later. Its copy stays.
    private func lose(_ book: EvolutionBook, _ reason: DBusError?, _ factory: String, on bus: Bus) {
        guard books[book.id] === book else { return }
        book.close()
        books[book.id] = nil
        if let reason { complain("\(Self.name(of: book.id)) cannot be read now: \(reason.name)") }
        retryLater(factory, on: bus)
    }

    private func retryLater(_ factory: String, on bus: Bus) {
        guard retry == nil, let sources = watch?.owner else { return }
        retry = LoopTimer(after: pause) { [weak self] in
            self?.retry = nil
            self?.readBooks(sources, factory, on: bus)
        }
        pause = min(pause * 2, Self.longestPause)
    }

    private func write(_ cards: [String], of id: String) {
        pause = Self.shortestPause
        do throws(SystemError) {
            let used = cards.prefix(Self.maximumContacts)
            let count = try mirror?.write(used, of: id) ?? 0
            books[id]?.count = count
            if used.count < cards.count {
                complain("\(Self.name(of: id)) has over \(Self.maximumContacts) contacts; the others are not used")
            }
            if mirror != nil, count < used.count {
                let limit = ContactsMirror.maximumBytes >> 20
                complain("\(Self.name(of: id)) is larger than \(limit) MiB; what is beyond that is not used")
            }
        } catch {
            complain("the contacts of \(Self.name(of: id)) cannot be copied: \(error)")
        }
    }

    private static func name(of book: String) -> String { "the address book \(book.displayable)" }

    /// Says something once.
    private func complain(_ text: String) {
        guard complaints.count < Self.maximumComplaints, complaints.insert(text).inserted else { return }
        context.log.warning("\(text)")
    }
}
