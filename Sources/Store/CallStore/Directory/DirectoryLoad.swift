// DirectoryLoad: one run of an extension, from the start of its worker until its entries are in force or discarded.

internal import CallDirectory
import CallModel
import DBus
import EventLoop
import WorkerLaunch

/// Runs the worker and passes its entries to a builder. Calls `then` once, at the end; lives as long as its worker.
@LoopActor
final class DirectoryLoad {
    typealias Outcome = Result<CompiledDirectory, CallError>

    /// What to load, and how.
    struct Plan {
        let launch: DirectoryLaunch
        let deadline: Duration
        /// The path of the compiled directory.
        let path: String
        /// The thread that writes it; nil if none could be started.
        let background: BackgroundThread?
        /// The directory in force; nil if there is none, and after the load.
        fileprivate(set) var old: CompiledDirectory?

        var plugin: DirectoryPlugin { launch.plugin }
    }

    /// How many calls a worker may have under way.
    private static let maximumPending = 16
    /// How long a worker may run after the end of its request.
    private static let farewell = Duration.milliseconds(500)
    /// How often the folders of the plugin are measured while its worker runs.
    private static let measuringPeriod = Duration.seconds(2)
    private static let maximumComplaints = 100

    private(set) var plan: Plan
    private(set) var isIncremental = false
    private(set) var counts = DirectoryCounts()
    /// How many parts of its sources the extension has left out, and why, for the first ones.
    private(set) var leftOut: UInt64 = 0
    private(set) var complaints: [String] = []
    /// How its worker is confined; nil until the worker has told.
    private(set) var sandbox: SandboxReport?
    /// Called when more entries have come.
    var onProgress: (@LoopActor () -> Void)?
    private var worker: LinkedProcess?
    /// What the worker writes to its standard output and error.
    private var words: OutputPipe?
    private let tree = ObjectTree(
        invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
        limitsExceededErrorName: ErrorCode.limitsExceeded.busName)
    private var builder: DirectoryBuilder?
    private var timer: LoopTimer?
    private var measuring: LoopTimer?
    private var saidHello = false
    private var pending = 0
    private var isCompleting = false
    private var outcome: Outcome?
    private var then: (@LoopActor (Outcome) -> Void)?

    init(_ plan: Plan, then: @escaping @LoopActor (Outcome) -> Void) {
        self.plan = plan
        self.then = then
    }

    func start() {
        guard let background = plan.background else {
            return Loop.shared.post { self.finish(self.interrupted("cannot be loaded: no thread can be started")) }
        }
        timer = LoopTimer(after: plan.deadline) { [weak self] in
            // Let the current write end.
            guard let self, !isCompleting else { return }
            finish(interrupted("took more than \(plan.deadline.milliseconds) ms"))
            worker?.kill()
        }
        background.post { [launch = plan.launch] in
            let ready = Result { try launch.prepare() }
            Loop.shared.post { self.start(ready) }
        }
    }

    private func start(_ ready: Result<DirectoryLaunch.Ready, any Error>) {
        guard outcome == nil else { return }
        do {
            let ready = try ready.get()
            // Standard error may be a terminal or a file, which is not the plugin's to read or to empty.
            let words = try OutputPipe("directory \(plan.plugin.id)")
            defer { words.closeWritingEnd() }
            self.words = words
            let worker = try LinkedProcess(
                loading: plan.plugin.library, ready.library, as: .directory, worker: plan.launch.worker,
                policy: ready.policy, output: words.writingEnd
            ) { process, status in self.ended(process, status) }
            self.worker = worker
            tree.export(DirectoryHostObject(self), at: DirectoryHostObject.path, DirectoryHostObject.interface)
            tree.serve(on: worker.link)
            worker.link.onClosed = { [weak self] reason in self?.closed(reason) }
            measureLater()
        } catch let error as CallError {
            finish(interrupted(error.message))
        } catch let error as PluginFileError {
            finish(interrupted("\(error)"))
        } catch {
            finish(interrupted("cannot be started: \(error)"))
        }
    }

    /// Measures the plugin's folders after a while, and ends the load if they exceed their bound.
    private func measureLater() {
        measuring = LoopTimer(after: Self.measuringPeriod) { [weak self] in
            guard let self, outcome == nil, let background = plan.background else { return }
            background.post { [weak self, launch = plan.launch] in
                let excess = launch.excess()
                Loop.shared.post { self?.measured(excess) }
            }
        }
    }

    private func measured(_ excess: String?) {
        guard outcome == nil else { return }
        if let excess { stop(excess) } else { measureLater() }
    }

    /// Ends the load and discards its entries.
    func stop(_ reason: String) {
        finish(interrupted(reason))
        worker?.kill()
    }

    // MARK: calls of the worker

    func greet(_ version: UInt32) throws(CallError) -> VariantDictionary {
        guard !saidHello else { throw CallError(.invalidAction, "plugin \(plan.plugin.id) said hello before") }
        guard version == Contract.protocolVersion else {
            let reason = "speaks protocol \(version), this system speaks \(Contract.protocolVersion)"
            finish(interrupted(reason))
            throw CallError(.notSupported, "plugin \(plan.plugin.id) \(reason)")
        }
        saidHello = true
        sandbox = worker?.report
        return [
            "protocol": .uint32(Contract.protocolVersion), "plugin-id": .string(plan.plugin.id),
            "resource-directory": .string(plan.plugin.resourceFolder),
            "permissions": Variant(plan.plugin.permissions.map(\.text)), "incremental": .bool(plan.old != nil),
        ]
    }

    func begin(incremental: Bool) throws(CallError) {
        guard saidHello, builder == nil, outcome == nil else {
            throw CallError(.invalidAction, "Begin comes once, after Hello")
        }
        guard !incremental || plan.old != nil else {
            throw CallError(.invalidAction, "changes were announced, all entries were asked for")
        }
        isIncremental = incremental
        guard let background = plan.background else {
            finish(interrupted("cannot be loaded: no thread can be started"))
            throw CallError(.loadingInterrupted, "no thread can be started to write the entries")
        }
        builder = DirectoryBuilder(plan.path, old: plan.old, isIncremental: incremental, on: background)
    }

    func block(_ numbers: [Int64], _ invocation: VoidInvocation) throws(CallError) {
        try open(invocation).block(numbers) { [weak self] in self?.took($0, invocation) }
    }

    func identify(_ entries: [IdentificationEntry], _ invocation: VoidInvocation) throws(CallError) {
        try open(invocation).identify(entries) { [weak self] in self?.took($0, invocation) }
    }

    /// - Parameter ends: the first and last numbers of ranges.
    func block(ranges ends: [Struct<Int64, Int64>], _ invocation: VoidInvocation) throws(CallError) {
        let ranges = try ends.map { ends throws(CallError) in
            let (first, last) = ends.fields
            guard first <= last else {
                throw CallError(.entriesOutOfOrder, "a blocked range begins with \(first) and ends with \(last)")
            }
            return first...last
        }
        try open(invocation).block(ranges: ranges) { [weak self] in self?.took($0, invocation) }
    }

    /// Takes what the extension leaves out of its sources.
    func leaveOut(_ count: UInt64, _ complaints: [String]) throws(CallError) {
        guard saidHello, outcome == nil else {
            throw CallError(.invalidAction, "the request is over, or has not begun")
        }
        leftOut = leftOut.addingReportingOverflow(count).partialValue
        self.complaints += complaints.prefix(Self.maximumComplaints - self.complaints.count).map(\.displayable)
    }

    func remove(
        _ invocation: VoidInvocation, _ body: @escaping @Sendable (inout DirectoryRemovals) throws(CallError) -> Void
    ) throws(CallError) {
        try open(invocation).remove(
            then: { [weak self] result in
                self?.answer(result.map { _ in }, invocation)
            }, body)
    }

    func complete(_ invocation: VoidInvocation) throws(CallError) {
        let builder = try open(invocation)
        isCompleting = true
        builder.complete { [weak self] result in
            guard let self else { return }
            // The entries are in force before the worker gets the reply.
            if case .success = result { finish(result) }
            answer(result.map { _ in }, invocation)
        }
    }

    /// Takes the extension's Cancel.
    func cancel(_ name: String, _ message: String) throws(CallError) {
        guard saidHello, outcome == nil, !isCompleting else {
            throw CallError(.invalidAction, "the request is over, or has not begun")
        }
        let code = ErrorCode(busName: name) ?? .loadingInterrupted
        let isOfDirectories = Self.codes.contains(code)
        let text = message.displayable
        finish(
            .failure(
                CallError(
                    isOfDirectories ? code : .loadingInterrupted, text.isEmpty ? "the extension gave up" : text)))
    }

    /// The errors that an extension may give.
    private static let codes: Set<ErrorCode> = [
        .loadingInterrupted, .entriesOutOfOrder, .duplicateEntries, .maximumEntriesExceeded,
        .unexpectedIncrementalRemoval,
    ]

    private func open(_ invocation: VoidInvocation) throws(CallError) -> DirectoryBuilder {
        if case .failure(let error) = outcome { throw error }
        guard let builder, outcome == nil, !isCompleting else {
            throw CallError(.invalidAction, "entries come between Begin and Complete")
        }
        pending += 1
        guard pending <= Self.maximumPending else {
            stop("sends more than \(Self.maximumPending) messages without waiting for answers")
            throw CallError(.limitsExceeded, "\(pending) messages wait for answers already")
        }
        return builder
    }

    private func took(_ result: Result<DirectoryCounts, CallError>, _ invocation: VoidInvocation) {
        if case .success(let counts) = result {
            self.counts = counts
            onProgress?()
        }
        answer(result.map { _ in }, invocation)
    }

    private func answer(_ result: Result<Void, CallError>, _ invocation: VoidInvocation) {
        pending -= 1
        result.answer(invocation)
        if case .failure(let error) = result { finish(.failure(error)) }
    }

    // MARK: the end

    private func interrupted(_ reason: String) -> Outcome {
        .failure(CallError(.loadingInterrupted, "plugin \(plan.plugin.id) \(reason)"))
    }

    private func closed(_ reason: CloseReason) {
        switch reason {
        case .garbage(let text):
            finish(interrupted("sent garbage: \(text)"))
            worker?.kill()
        // Its exit will tell the reason.
        case .closedHere, .peerClosed, .failed, .queueFull: worker?.stop()
        }
    }

    private func ended(_ process: LinkedProcess, _ status: ExitStatus) {
        sandbox = process.report ?? sandbox
        // What is left of them goes to the log.
        _ = words?.lastWords()
        words = nil
        worker = nil
        // A request that is being completed does not need the worker any more.
        if isCompleting { return }
        switch status {
        case .exited(ProgramExit.notLoaded.rawValue): finish(interrupted("could not be loaded"))
        case .exited(ProgramExit.notConfined.rawValue):
            let failures = sandbox?.failures.joined(separator: ", ") ?? ""
            let demand = plan.plugin.demand.rawValue
            finish(interrupted("needs a sandbox of level \(demand), which is not available here (\(failures))"))
        case .exited(ProgramExit.noEntry.rawValue): finish(interrupted("has no entry \(PluginPart.directory.entry)"))
        case .exited: finish(interrupted("\(status) before its entries were complete"))
        case .signalled: finish(interrupted("was \(status)"))
        }
    }

    private func finish(_ outcome: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        // Without Complete the builder removes its file.
        builder?.abandon()
        builder = nil
        plan.old = nil
        measuring = nil
        timer = LoopTimer(after: Self.farewell) { [weak self] in
            self?.timer = nil
            self?.worker?.stop()
        }
        let then = then
        self.then = nil
        then?(outcome)
    }
}
