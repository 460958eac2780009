// AddressBookLoad: one reading of the folders, by as many readers as it takes.

internal import CallModel
import DBus
import EventLoop
import Files
internal import Glibc
import WorkerLaunch

/// Reads files of strangers in a process of their own. A file that ends its reader is left out, and another reader goes on
/// without it. Ends once, by `then`.
@LoopActor
final class AddressBookLoad {
    struct Outcome {
        /// nil if no reader came so far as to read a file, although there may be some.
        var entries: ContactEntries?
        var complaints: [ContactComplaint] = []
        /// The files that ended a reader, with how.
        var skipped: [String: String]
        /// In milliseconds.
        var duration: UInt64 = 0
    }

    /// How long a reader may say nothing, in milliseconds.
    private static let patience = 20_000
    private static let maximumReaders = 16
    private static let maximumComplaints = 100

    private let plan: AddressBook.Plan
    private let folders: ContactFolders
    private let tree = ObjectTree(invalidArgumentsErrorName: ErrorCode.invalidArguments.busName)
    private var outcome: Outcome
    private var entries = ContactEntries()
    private var file = ""
    private var isComplete = false
    private var isFull = false
    private var readers = 0
    private var process: ChildProcess?
    private var link: PrivateLink?
    private var timer: LoopTimer?
    private var isSilent = false
    private let startedAt = MonotonicTime.now
    private var then: (@LoopActor (Outcome) -> Void)?

    init(
        _ plan: AddressBook.Plan, _ skipped: [String: String], _ folders: ContactFolders,
        then: @escaping @LoopActor (Outcome) -> Void
    ) {
        self.plan = plan
        self.folders = folders
        outcome = Outcome(skipped: skipped.filter { (try? FileStatus($0.key)) != nil })
        self.then = then
        tree.export(ContactsHostObject(self), at: ContactsHostObject.path, ContactsHostObject.interface)
    }

    func start() {
        readers += 1
        file = ""
        entries = ContactEntries()
        isFull = false
        isSilent = false
        // What the readers before complained of, this one will find again; but for what it is not to touch.
        outcome.complaints = []
        for (path, reason) in outcome.skipped.sorted(by: { $0.key < $1.key }) { complain(path, reason) }
        do {
            let (link, descriptor) = try PrivateLink.pair()
            defer { close(descriptor) }
            self.link = link
            let region = plan.region.map { ["--region", $0] } ?? []
            process = try ChildProcess.spawn(
                plan.reader, ["3"] + region, environment: WorkerProcess.environment(from: plan.environment),
                descriptors: [3: descriptor], group: .session
            ) { status in self.ended(status) }
            tree.serve(on: link)
            heard()
        } catch {
            complain(plan.reader, "cannot be started: \(error)")
            finish()
        }
    }

    /// Ends it without an outcome.
    func stop() {
        then = nil
        _ = process?.kill(SIGKILL)
    }

    // MARK: what the reader says

    func greet() -> (folders: [String], skipped: [String]) {
        heard()
        return (plan.folders, outcome.skipped.keys.sorted())
    }

    func enter(_ path: String) {
        heard()
        if !folders.add(path) { complain(path, "changes in it will not be noticed: too many folders are watched") }
    }

    func read(_ path: String) {
        heard()
        file = path
    }

    func add(_ contacts: [Struct<String, String, [Struct<Bool, String>]>]) {
        heard()
        for wire in contacts {
            let (uid, name, handles) = wire.fields
            let contact = Contact(uid: uid.displayable, name: name.displayable)
            guard !contact.name.isEmpty else { continue }
            if !entries.add(contact, handles.map { ($0.fields.0, $0.fields.1) }), !isFull {
                isFull = true
                complain(
                    file,
                    "more than \(ContactEntries.maximumContacts) contacts or \(ContactEntries.maximumHandles) handles in all: "
                        + "the rest is left out")
            }
        }
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
        timer = LoopTimer(afterMilliseconds: Self.patience) { [weak self] in
            self?.isSilent = true
            _ = self?.process?.kill(SIGKILL)
        }
    }

    // MARK: its end

    private func ended(_ status: ExitStatus) {
        timer = nil
        process = nil
        link?.close()
        guard !isComplete else { return finish() }
        let reason =
            switch status {
            case _ where isSilent: "reading it took more than \(Self.patience / 1_000) s"
            case .exited(let code): "its reader exited with status \(code)"
            case .signalled(SIGXCPU), .signalled(SIGPROF): "reading it takes too long"
            case .signalled(let signal): "its reader was ended by signal \(signal)"
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
        outcome.duration = UInt64(max(0, MonotonicTime.now.milliseconds(since: startedAt)))
        if isComplete || !file.isEmpty { outcome.entries = entries }
        let then = then
        self.then = nil
        then?(outcome)
    }
}
