// AddressBookLoad: one reading of the folders, by one or more readers.

internal import CallModel
import DBus
import EventLoop
import Files
internal import Glibc
import WorkerLaunch

/// Reads the files, which may be malicious, in a process of its own. If a file crashes the reader, another reader continues
/// without that file. Calls `then` once, at the end.
@LoopActor
final class AddressBookLoad {
    struct Outcome {
        /// Nil if no reader reached a file.
        var entries: ContactEntries?
        var complaints: [ContactComplaint] = []
        /// The files that crashed a reader, and how.
        var skipped: [String: String]
        /// In milliseconds.
        var duration: UInt64 = 0
        /// The sandbox of the reader; nil if it has told of none.
        var sandbox: SandboxReport?
    }

    /// How long a reader may be silent.
    private static let silenceTimeout = Duration.seconds(20)
    private static let maximumReaders = 16
    private static let maximumComplaints = 100
    /// A picture of 1 MiB, and what comes with it.
    private static let maximumMessage = 2 << 20

    private let plan: AddressBook.Plan
    private let folders: ContactFolders
    private let pictures: ContactPictures?
    private let tree = ObjectTree(
        invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
        limitsExceededErrorName: ErrorCode.limitsExceeded.busName)
    private var outcome: Outcome
    private let thread: BackgroundThread?
    private var gathering: ContactGathering
    private var file = ""
    private var isComplete = false
    private var isFull = false
    private var readers = 0
    private var reader: LinkedProcess?
    /// What it writes to its standard output and error, which may be a terminal or a file here.
    private var words: OutputPipe?
    private var timer: LoopTimer?
    private var isSilent = false
    private let startedAt = MonotonicTime.now
    private var then: (@LoopActor (Outcome) -> Void)?

    /// - Parameter thread: collects the contacts.
    init(
        _ plan: AddressBook.Plan, _ skipped: [String: String], _ folders: ContactFolders, _ pictures: ContactPictures?,
        on thread: BackgroundThread?, then: @escaping @LoopActor (Outcome) -> Void
    ) {
        self.plan = plan
        self.thread = thread
        gathering = ContactGathering(on: thread)
        self.folders = folders
        self.pictures = pictures
        outcome = Outcome(skipped: skipped.filter { (try? FileStatus($0.key)) != nil })
        self.then = then
        tree.export(ContactsHostObject(self), at: ContactsHostObject.path, ContactsHostObject.interface)
    }

    func start() {
        readers += 1
        file = ""
        gathering = ContactGathering(on: thread)
        isFull = false
        isSilent = false
        // This reader finds again what the readers before complained of, except for the files that it skips.
        outcome.complaints = []
        for (path, reason) in outcome.skipped.sorted(by: { $0.key < $1.key }) { complain(path, reason) }
        do {
            let words = try OutputPipe("callkit-contacts")
            defer { words.closeWritingEnd() }
            self.words = words
            let reader = try LinkedProcess(
                plan.reader, plan.arguments, environment: plan.environment, output: words.writingEnd
            ) { _, status in self.ended(status) }
            self.reader = reader
            reader.link.acceptLargeMessages(Self.maximumMessage)
            tree.serve(on: reader.link)
            heard()
        } catch {
            complain(plan.reader, "cannot be started: \(error)")
            finish()
        }
    }

    /// Ends the load without an outcome.
    func stop() {
        then = nil
        reader?.kill()
    }

    // MARK: calls of the reader

    func greet(_ sandbox: String) -> [String] {
        heard()
        outcome.sandbox = SandboxReport(Array(sandbox.utf8))
        return outcome.skipped.keys.sorted()
    }

    func enter(_ path: String) {
        heard()
        if !folders.add(path) { complain(path, "changes in it will not be noticed: too many folders are watched") }
    }

    func read(_ path: String) {
        heard()
        file = path
    }

    /// Adds contacts, and calls `then` when that is done.
    func add(_ contacts: [ContactWire], then: @escaping @LoopActor () -> Void) {
        heard()
        let new: [(Contact, [ContactHandle])] = contacts.compactMap { wire in
            let (uid, name, handles, picture) = wire.fields
            var contact = Contact(uid: uid.displayable, name: name.displayable)
            guard !contact.name.isEmpty else { return nil }
            contact.picture = pictures?.path(of: picture) ?? ""
            return (contact, handles.compactMap(ContactHandle.init))
        }
        gathering.add(new) { [weak self, gathering] hasRoom in
            if !hasRoom, let self, gathering === self.gathering { becameFull() }
            then()
        }
    }

    private func becameFull() {
        guard !isFull else { return }
        isFull = true
        complain(
            file,
            "more than \(ContactEntries.maximumContacts) contacts or \(ContactEntries.maximumHandles) handles in all: "
                + "the rest is left out")
    }

    func complain(_ path: String, _ reason: String) {
        heard()
        guard outcome.complaints.count < Self.maximumComplaints else { return }
        outcome.complaints.append(ContactComplaint(path: path.displayable, reason: reason.displayable))
    }

    func complete() {
        heard()
        isComplete = true
    }

    private func heard() {
        timer = LoopTimer(after: Self.silenceTimeout) { [weak self] in
            self?.isSilent = true
            self?.reader?.kill()
        }
    }

    // MARK: the end

    private func ended(_ status: ExitStatus) {
        timer = nil
        _ = words?.lastWords()
        words = nil
        reader = nil
        guard !isComplete else { return finish() }
        let reason =
            switch status {
            case _ where isSilent: "reading it took more than \(Self.silenceTimeout.components.seconds) s"
            case .signalled(SIGXCPU), .signalled(SIGPROF): "reading it takes too long"
            case .exited(ProgramExit.notConfined.rawValue): "its reader has no sandbox"
            case .exited: "its reader \(status)"
            case .signalled: "its reader was \(status)"
            }
        guard !file.isEmpty, readers < Self.maximumReaders, then != nil else {
            complain(file.isEmpty ? plan.reader : file, reason)
            return finish()
        }
        outcome.skipped[file] = reason
        start()
    }

    private func finish() {
        timer = nil
        guard isComplete || !file.isEmpty else { return finish(nil) }
        gathering.finish { self.finish($0) }
    }

    private func finish(_ entries: ContactEntries?) {
        outcome.entries = entries
        outcome.duration = UInt64(max(0, MonotonicTime.now.duration(since: startedAt).milliseconds))
        let then = then
        self.then = nil
        then?(outcome)
    }
}
