// StoreServer: the parts of the store, and the link on which they are served.

internal import CallModel
public import DBus
public import EventLoop
public import Logging
public import Numbers
public import WorkerLaunch

/// Serves callkitd at the other end of a link, on the loop, which never waits for the disk.
@LoopActor
public final class StoreServer {
    let plan: NumberPlan
    let log: Logger
    let tree = ObjectTree(
        invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
        limitsExceededErrorName: ErrorCode.limitsExceeded.busName)
    let storage: Storage
    let recents: Recents
    let favorites: Favorites
    let directories: Directories
    let addressBook: AddressBook
    /// Nil when names may have changed.
    var favoriteNames: FavoriteNames?
    private let link: Link
    /// What was told of `degraded` last; those who come later ask.
    private var toldDegraded: String?
    /// The sources of a look-up, in this order.
    private var sources: [any CallerSource] = []

    /// - Parameters:
    ///   - folder: the folder of all files; made when it is needed.
    ///   - environment: the environment of the workers that load call directories.
    ///   - contacts: the folders of vCards, and the program that reads them.
    ///   - kernel: what the sandboxes of readers and workers do without.
    ///   - logsIdentities: whether the log quotes rules and entries of lists.
    public init(
        link: Link, plan: NumberPlan, folder: StoreFolder, environment: [String: String],
        contacts: (folders: [String], reader: String), kernel: SimulatedKernel = SimulatedKernel(), log: Logger,
        logsIdentities: Bool = false
    ) {
        self.link = link
        self.plan = plan
        self.log = log
        storage = Storage(folder: folder, log: log)
        recents = Recents(storage: storage, plan: plan)
        favorites = Favorites(storage: storage, plan: plan)
        directories = Directories(
            folder: folder, plan: plan, environment: environment, log: log, logsIdentities: logsIdentities)
        directories.kernel = kernel
        addressBook = AddressBook(
            AddressBook.Plan(
                folders: contacts.folders, reader: contacts.reader, region: plan.region, environment: environment,
                kernel: kernel),
            log: log)
        tree.export(StoreObject(self), at: StoreObject.path, StoreObject.interface)
        add(addressBook)
        tree.export(FavoritesObject(self), at: FavoritesObject.path, FavoritesObject.interface)
        tree.export(RecentsObject(self), at: RecentsObject.path, RecentsObject.interface)
        add(favorites)
        tree.export(DirectoryObject(self), at: DirectoryObject.path, DirectoryObject.interface)
        tree.export(RulesObject(directories), at: RulesObject.path, RulesObject.interface)
        add(directories)
        announceDirectories()
        announceContacts()
        announceRecents()
        favorites.onChange = { [weak self, tree] in
            self?.favoriteNames = nil
            tree.emit(FavoritesObject.changed, from: FavoritesObject.path)
        }
        storage.onReplaced = { [weak self] in self?.load() }
        storage.onRetry = { [weak self] in self?.load() }
        storage.onOthers = { [weak self] in
            self?.recents.readAgain()
            self?.favorites.load()
        }
    }

    /// The folder of contacts' pictures; nil if there is none.
    nonisolated public static func pictureFolder(_ environment: [String: String]) -> String? {
        ContactPictures.folder(environment)
    }

    /// What is wrong with the files; "" for nothing.
    var degraded: String { [storage.degraded, directories.trouble].filter { !$0.isEmpty }.joined(separator: "; ") }

    /// Begins to serve.
    public func start() {
        directories.start()
        tree.serve(on: link)
        storage.start()
        load()
        addressBook.start()
    }

    private func announceContacts() {
        addressBook.onChange = { [directories, favorites] in
            directories.onChange("contacts")
            // Favorites without a name have the contact's.
            favorites.onChange()
        }
    }

    /// Reads what is kept in memory, and writes what waits.
    private func load() {
        recents.load()
        favorites.load()
    }

    private func announceDirectories() {
        directories.onChange = { [weak self, tree, weak directories] source in
            if source == Directories.user {
                tree.emit(RulesObject.changed, from: RulesObject.path)
            } else {
                self?.favoriteNames = nil
            }
            if let one = directories?.extensions[source] { directories?.onReport(one) }
            tree.emit(DirectoryObject.changed, from: DirectoryObject.path, source)
        }
        directories.onReport = { [tree, weak self] one in
            if one.plugin != nil { tree.emit(StoreObject.directoryChanged, from: StoreObject.path, one.id, one.report) }
            self?.announceDegraded()
        }
    }

    private func announceRecents() {
        recents.onChange = { [tree] ids in
            for id in ids.isEmpty ? [0] : ids { tree.emit(RecentsObject.changed, from: RecentsObject.path, id) }
        }
        recents.onSummary = { [weak self] in self?.announce(["UnreadMissed", "RetentionDays", "RetentionRows"]) }
        storage.onChange = { [weak self] in self?.announceDegraded() }
    }

    private func announceDegraded() {
        guard degraded != toldDegraded else { return }
        toldDegraded = degraded
        announce(["Degraded"])
    }

    private func announce(_ properties: [String]) {
        tree.propertiesChanged(at: RecentsObject.path, RecentsObject.interface.name, properties)
    }

    /// Adds a source to all look-ups.
    func add(_ source: any CallerSource) { sources.append(source) }

    /// - Parameter handle: nil for a withheld one.
    func lookUp(_ handle: Handle?) -> LookUpFacts { lookUp(handle, normalized: handle.map(plan.normalized) ?? "") }

    func lookUp(_ handle: Handle?, normalized: String) -> LookUpFacts {
        var facts = LookUpFacts(normalized: normalized)
        for source in sources { source.note(handle, in: &facts) }
        return facts
    }

    /// Passes the id of the provider to call a handle with; "" if none is known.
    func preferredProvider(of handle: Handle, then: @escaping Completion<String>) {
        if let provider = favorites.provider(of: handle) { return then(.success(provider)) }
        recents.lastProvider(of: plan.normalized(handle), then: then)
    }

    /// Returns the record with the name that the store knows, if it has none: callkitd may not have looked it up.
    func named(_ record: CallRecord) -> CallRecord {
        guard record.name.isEmpty, let handle = record.handle else { return record }
        let facts = lookUp(handle)
        guard facts.nameSource != .none else { return record }
        var record = record
        record.name = facts.name
        record.nameSource = facts.nameSource
        return record
    }

    /// Writes what waits, and calls `then` when that is done or has failed.
    public func finish(then: @escaping @LoopActor () -> Void) {
        addressBook.stop()
        // The link is closed and keeps nothing alive any more: the closure does.
        recents.finish { [self] in
            storage.close {
                withExtendedLifetime(self) {}
                then()
            }
        }
    }
}

extension StoreServer {
    /// - Parameter text: a handle as people write it, or `withheld`.
    /// - Returns: the reply of Identify.
    func describe(_ text: String) throws(CallError) -> VariantDictionary {
        let dialed = text == "withheld" ? nil : try DialString(parsing: text)
        let caller = dialed?.handle
        try directories.requireRules()
        let facts = lookUp(caller)
        var known = facts.wire
        if let dialed {
            known["handle"] = Variant(Struct(dialed.handle.type.rawValue, dialed.handle.value))
            if !dialed.postDial.isEmpty { known["post-dial"] = .string(dialed.postDial) }
            known.set("hide-number", dialed.hidesNumber)
            known.set("region", plan.region(of: dialed.handle))
        }
        known["normalized"] = .string(facts.normalized)
        known["allowed"] = .bool(facts.isAllowed)
        known["blocked"] = .bool(!facts.isAllowed && facts.blockedBy != nil)
        let rules = directories.rules(about: facts.normalized)
        if facts.isAllowed { known.set("allowed-by", rules.allowing) }
        if facts.blockedBy == Directories.user { known.set("blocked-rule", rules.blocking) }
        if let caller, let (label, source) = directories.label(of: caller) {
            known.set("label", label)
            known.set("label-source", source)
        }
        return known
    }
}

extension StoreServer {
    /// The most entries of an answer.
    private static var maximumPeople: Int { 20 }

    /// Passes on the reply of FindPeople.
    func findPeople(_ text: String, then: @escaping Completion<[VariantDictionary]>) throws(CallError) {
        let wanted = try NameWords(wanted: text)
        favorites.all { [self] result in
            then(result.map { people(wanted, among: $0).map(\.wire) })
        }
    }

    private func people(_ wanted: NameWords, among favorites: [Favorite]) -> [FoundPerson] {
        let people = named(favorites).people(wanted)
        guard people.count < Self.maximumPeople else { return Array(people.prefix(Self.maximumPeople)) }
        let known = Set(people.map(\.key))
        // Each favorite may leave out one of them.
        let contacts = addressBook.people(named: wanted, limit: Self.maximumPeople + known.count)
        return Array((people + contacts.filter { !known.contains($0.key) }).prefix(Self.maximumPeople))
    }

    /// Returns the favorites with their own names, or those that the store knows.
    func named(_ favorites: [Favorite]) -> FavoriteNames {
        if let favoriteNames { return favoriteNames }
        let names = FavoriteNames(
            favorites.map { favorite in
                let isNamed = !favorite.name.isEmpty
                return (
                    favorite, isNamed ? favorite.name : lookUp(favorite.handle, normalized: favorite.normalized).name
                )
            })
        favoriteNames = names
        return names
    }
}

/// The favorites with the names by which they are found.
struct FavoriteNames {
    private let favorites: [(Favorite, name: String)]
    private let index: NameIndex

    init(_ favorites: [(Favorite, name: String)]) {
        self.favorites = favorites
        index = NameIndex(favorites.map { NameWords($0.name) })
    }

    /// What List returns.
    var wires: [VariantDictionary] {
        favorites.map { favorite, name in favorite.wire.merging(["name": .string(name)]) { $1 } }
    }

    /// Returns the favorites with this name, in their order.
    func people(_ wanted: NameWords) -> [FoundPerson] {
        var found: [(position: Int, isExact: Bool)] = []
        index.find(wanted) {
            found.append(($0, $1))
            return true
        }
        return found.sorted { $0.position < $1.position }.map { position, isExact in
            FoundPerson(favorites[position].0, named: favorites[position].name, isExact: isExact)
        }
    }
}
