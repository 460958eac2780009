// AddressBook: the contacts that the user keeps as vCards, in memory.

internal import CallModel
internal import CallWire
import DBus
import EventLoop
import Files
import Logging
internal import Numbers
internal import WorkerLaunch

/// Reads the folders when the store starts and when something in them changes, and answers from the last reading.
@LoopActor
final class AddressBook: CallerSource {
    /// What to read, and how.
    struct Plan: Sendable {
        /// The paths as given; missing folders are waited for.
        let folders: [String]
        /// The absolute path of callkit-contacts.
        let reader: String
        let region: String?
        let environment: [String: String]
        let kernel: SimulatedKernel

        /// The arguments of the reader: what it may read, which is all that it will see.
        var arguments: [String] {
            let region = region.map { ["--region", $0] } ?? []
            return region + Self.pictureFolders(environment).flatMap { ["--pictures", $0] } + kernel.arguments
                + folders
        }

        /// Where evolution-data-server and those who use it keep pictures to which the cards of its address books
        /// refer.
        private static func pictureFolders(_ environment: [String: String]) -> [String] {
            let data = BaseFolder.data.path(in: environment), cache = BaseFolder.cache.path(in: environment)
            return [
                data.map { $0 + "/evolution/addressbook" }, cache.map { $0 + "/evolution/addressbook" },
                cache.map { $0 + "/folks/avatars" },
            ].compactMap { $0 }
        }
    }

    let plan: Plan
    private let log: Logger
    private var entries = ContactEntries()
    private var complaints: [ContactComplaint] = []
    private var loadedAt: WallTime = 0
    private var duration: UInt64 = 0
    private var load: AddressBookLoad?
    /// The files that ended a reader, with the reason; each is read again when it has changed.
    private var skipped: [String: String] = [:]
    /// What has changed since the current reading began.
    private var changedMeanwhile: Set<String> = []
    private let watch = ContactFolders()
    private let pictures: ContactPictures?
    /// Does what takes longer than a caller should wait for; nil before the first reading.
    private var thread: BackgroundThread?
    private var sandbox: SandboxReport?
    private var timer: LoopTimer?
    private var isDue = false
    private var isOver = false
    /// Called when contacts or complaints have changed.
    var onChange: @LoopActor () -> Void = {}

    /// The least time from a change until the folders are read again.
    private static let pause = Duration.milliseconds(200)

    init(_ plan: Plan, log: Logger) {
        self.plan = plan
        self.log = log
        pictures = ContactPictures(environment: plan.environment)
        watch.onChange = { [weak self] path in self?.changed(path) }
    }

    func start() {
        pictures?.removeAll()
        read()
    }

    /// Stops reading.
    func stop() {
        isOver = true
        timer = nil
        watch.stop()
        load?.stop()
    }

    func note(_ handle: Handle?, in facts: inout LookUpFacts) {
        guard let handle, !facts.normalized.isEmpty, let contact = contact(handle, facts.normalized) else { return }
        facts.merge(name: contact.name, from: .contacts, contact: contact.uid)
        facts.image = contact.picture
    }

    /// Returns the contact with this handle, or else the only one with a number that may be this one.
    private func contact(_ handle: Handle, _ normalized: String) -> Contact? {
        if let contact = entries.contact(normalized, isEmail: handle.type == .emailAddress) { return contact }
        guard handle.type == .phoneNumber else { return nil }
        return entries.onlyContact(like: normalized, NumberPlan.mayBeSame)
    }

    func people(named wanted: NameWords, limit: Int) -> [FoundPerson] { entries.people(named: wanted, limit: limit) }

    /// The reply of Contacts.
    var report: VariantDictionary {
        [
            "folders": Variant(plan.folders), "contacts": .uint32(UInt32(entries.count)),
            "handles": .uint32(UInt32(entries.handleCount)), "loading": .bool(load != nil),
            "loaded-at": loadedAt.inVariant, "duration-ms": .uint64(duration),
            "complaints": Variant(complaints.map(\.wire)),
        ]
    }

    // MARK: reading

    private func changed(_ path: String) {
        skipped[path] = nil
        if load != nil { changedMeanwhile.insert(path) }
        guard !isOver, timer == nil else { return }
        // Constant changes cause reading for a fifth of the time at most.
        timer = LoopTimer(after: max(Self.pause, .milliseconds(4 * duration))) { [weak self] in self?.read() }
    }

    private func read() {
        timer = nil
        guard load == nil else {
            isDue = true
            return
        }
        isDue = false
        watch.begin(plan.folders)
        guard plan.folders.contains(where: { (try? FileStatus($0))?.kind == .folder }) else {
            return replace(ContactEntries(), [])
        }
        if thread == nil { thread = try? BackgroundThread("contacts") }
        let load = AddressBookLoad(plan, skipped, watch, pictures, on: thread) { [weak self] in self?.ended($0) }
        self.load = load
        load.start()
    }

    private func ended(_ outcome: AddressBookLoad.Outcome) {
        load = nil
        guard !isOver else { return }
        watch.end()
        skipped = outcome.skipped.filter { !changedMeanwhile.contains($0.key) }
        changedMeanwhile = []
        duration = outcome.duration
        if !outcome.complaints.isEmpty, outcome.complaints != complaints {
            // Without the paths: files are often named after the contact.
            log.warning("\(outcome.complaints.count) files or folders of contacts cannot be used, see Contacts")
        }
        note(outcome.sandbox)
        replace(outcome.entries ?? entries, outcome.complaints)
        if isDue { read() }
    }

    /// Logs the sandbox of the readers once, and when it has changed.
    private func note(_ sandbox: SandboxReport?) {
        guard let sandbox, sandbox != self.sandbox else { return }
        self.sandbox = sandbox
        sandbox.log("callkit-contacts", to: log)
    }

    private func replace(_ new: ContactEntries, _ complaints: [ContactComplaint]) {
        loadedAt = .now
        let isNew = new.digest != entries.digest || complaints != self.complaints
        let retired = Retired(entries)
        entries = new
        retired.end(on: thread)
        self.complaints = complaints
        pictures?.keep(only: entries.pictures)
        if isNew { onChange() }
    }
}
