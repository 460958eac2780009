// Plugin: one plugin's file, its permissions, its worker process and its state.

import CallModel
import DBus
import EventLoop
import Files
import Logging
import WorkerLaunch

@LoopActor
final class Plugin {
    let id: String
    /// The file that it runs from.
    private(set) var version: PluginVersion
    /// A new file, which has not taken over yet.
    private(set) var upgrade: PluginUpgrade?
    private(set) weak var supervisor: PluginSupervisor?
    private(set) var state = PluginState.starting
    /// Whether the user lets it run.
    private(set) var isEnabled: Bool
    private(set) var error = ""
    private(set) var restarts: UInt32 = 0
    private(set) var startReason = PluginStartReason.found
    /// Whether its worker could not be started for lack of descriptors or memory.
    private var awaitsStart = false
    /// What is wrong with it although it runs.
    private(set) var problems = PluginProblems()
    /// Confines its workers.
    let sandbox: PluginSandbox
    /// Called when its folders are gone; empty while they are not being removed.
    private var forgetting: [@LoopActor (SystemError?) -> Void] = []
    private let worker = SupervisedProcess(
        BackOff(pauses: [.milliseconds(100), .milliseconds(200)], limit: crashLimit), pingDeadline: .seconds(2))
    /// What belongs to the worker that runs.
    private var run = Run()

    private struct Run {
        var helloTimer: LoopTimer?
        /// The version of its SDK; nil until it has said Hello.
        var sdkVersion: String?
        /// Until it has done what it does at once.
        var settling: PluginSettling?
        /// What it writes to its standard error.
        var words: OutputPipe?
        /// While it takes leave of its network.
        var farewell: PluginFarewell?
    }

    /// So many crashes within 60 s, and the plugin is not started again.
    private static let crashLimit = 3
    /// How long the worker may leave a message unanswered before it is pinged.
    private static let answerTime = Duration.seconds(1)
    /// How long after its Hello it is asked whether it lives: it may hang while it makes its first provider.
    private static let settlingTime = Duration.seconds(2)

    init(_ candidate: PluginCandidate, isEnabled: Bool, supervisor: PluginSupervisor) {
        id = candidate.id
        self.isEnabled = isEnabled
        version = PluginVersion(candidate, isPackaged: supervisor.isPackaged(candidate))
        self.supervisor = supervisor
        sandbox = PluginSandbox(of: id, supervisor.context, onDisk: { [weak supervisor] in supervisor?.onDisk($0) })
        worker.delegate = self
        sandbox.onUse = { [weak self] in self?.judge($0, of: $1, at: $2) }
        sandbox.onFolderExcess = { [weak self] excess in
            if let self, isServing { quarantine("it \(excess)") }
        }
    }

    var resourceFolder: String { version.file?.resourceDirectory ?? "" }
    var hasProvider: Bool { version.hasProvider }
    var hasDirectory: Bool { version.hasDirectory }
    /// The words for its parts on the bus.
    var kinds: [String] { (hasProvider ? ["provider"] : []) + (hasDirectory ? ["directory"] : []) }
    var saidHello: Bool { run.sdkVersion != nil }
    /// Whether it runs and has done what it does at once after its start.
    var hasSettled: Bool { run.settling?.isOver == true }
    var sdkVersion: String { run.sdkVersion ?? version.file?.note.sdkVersionText ?? "" }

    var isRunning: Bool { worker.isRunning }
    /// Whether the worker runs and is not being ended.
    var isServing: Bool { worker.isRunning && run.farewell == nil && (state == .starting || state == .ready) }
    /// The worker's process id, or 0.
    var pid: Int32 { worker.pid }
    var link: PrivateLink? { worker.link }

    func start() {
        guard !worker.isRunning, !isBeingForgotten, let supervisor, !supervisor.isStopping else { return }
        guard isEnabled else { return become(.disabled, supervisor.decisions.doubt(about: id)) }
        if case .rejected(_, _, let reason) = version.candidate { return become(.incompatible, reason.description) }
        let permissions = permissions
        guard permissions.hasConsent else { return become(.needsConsent, permissions.complaint(of: id)) }
        if hasDirectory, !hasProvider { return become(.ready, "") }
        awaitsStart = false
        do throws(PluginObstacle) {
            try sandbox.grant(permissions)
        } catch {
            return quarantine(error.description)
        }
        if state != .restarting, state != .starting { become(.starting, "") }
        sandbox.whenReady { [weak self] in
            guard let self, state == .starting || state == .restarting, !supervisor.isStopping else { return }
            worker.start()
        }
    }

    /// Starts the worker if that was not possible before for lack of descriptors or memory.
    func startAfterShortage() { if awaitsStart { start() } }

    /// Whether it was found in one of these folders.
    func isIn(_ folders: [String: SystemError]) -> Bool {
        folders.keys.contains { folder in
            let beginning = folder == "/" ? folder : folder + "/"
            let location = version.candidate.location.utf8
            return location.starts(with: beginning.utf8)
                && !location.dropFirst(beginning.utf8.count).contains(UInt8(ascii: "/"))
        }
    }

    /// Whether it remains what it is, although a scan has found something else under its id: its own place, or what is
    /// in it, could not be looked at.
    func staysInspite(of candidate: PluginCandidate, _ unread: [String: SystemError]) -> Bool {
        if isIn(unread) { return true }
        guard let file = version.file else { return false }
        return candidate.isPassing && candidate.location == file.location
    }

    /// The worker said Hello and speaks this host's protocol.
    func greeted(sdkVersion: String) {
        run.sdkVersion = sdkVersion
        run.helloTimer = nil
        guard !isLeaving else { return }  // it stays what it is to become
        sandbox.log(worker.report)
        // Why the last one died is kept until this one has shown that it lives.
        become(.ready, error)
        worker.ping(after: Self.settlingTime)
        let settling = PluginSettling(of: link) { [weak self] in self?.supervisor?.onSettled() }
        run.settling = settling
        // The answer to Hello comes first.
        Loop.shared.post { [weak self] in
            if let self { supervisor?.onGreeting(id) }
            settling.begin()
        }
    }

    /// The worker speaks another protocol.
    func refuse(_ reason: String) {
        become(.incompatible, reason)
        worker.kill(reason)
    }

    /// A message was sent that needs an answer. Pings the worker if it is still silent a while later.
    func expectAnswer() { worker.ping(after: Self.answerTime) }

    /// Asks the worker whether it is alive, unless that is asked already.
    func ping() { if saidHello { worker.ping() } }

    /// Ends the worker with the daemon.
    func stop() {
        dismiss(.stays)
        if !worker.isRunning { sandbox.end() }
    }

    /// Whether its worker is being ended, and may not register providers any more.
    var isLeaving: Bool { run.farewell != nil }

    /// Has the worker take leave of its network, and ends it.
    private func dismiss(_ parting: PluginSupervisor.Parting) {
        guard worker.isRunning, !isLeaving, let supervisor else {
            supervisor?.part(from: self, parting)
            return isLeaving ? () : worker.stop()
        }
        let hasCalls = supervisor.hasCalls(self, lately: parting == .stays)
        run.farewell = PluginFarewell(of: worker.link, hasCalls: hasCalls) { [self] in worker.stop() }
        worker.expectEnd()
        supervisor.part(from: self, parting)
        run.farewell?.begin()
    }

    /// Ends the worker and starts no other until a client enables or restarts the plugin.
    func quarantine(_ reason: String) {
        supervisor?.context.log.warning("plugin \(id) is quarantined: \(reason)")
        become(.quarantined, reason)
        worker.kill(reason)
    }

    func disable() {
        isEnabled = false
        guard state != .disabled else { return }
        become(.disabled, "")
        dismiss(.leaves)
    }

    func enable() {
        isEnabled = true
        guard state == .disabled || state == .quarantined else { return }
        startReason = .enabled
        worker.forgive()
        if worker.isRunning || isBeingForgotten { become(.restarting, "") } else { start() }
    }

    /// - Parameter text: for the log.
    func restart(_ reason: PluginStartReason = .restarted, _ text: String = "it is restarted by the user") {
        startReason = reason
        worker.forgive()
        // There is no worker here to restart.
        if hasDirectory, !hasProvider { return start() }
        if worker.isRunning {
            supervisor?.context.log.notice("plugin \(id): \(text)")
            become(.restarting, "")
        }
        dismiss(.returns)
        if !worker.isRunning { start() }
    }

    // MARK: its file

    /// Another file has taken the place of the plugin's file. As long as a worker runs it is examined first.
    func replace(with new: PluginVersion) {
        guard new.candidate != version.candidate else {
            // The old file is back.
            if upgrade != nil { adopt(version) }
            return
        }
        guard new.candidate != upgrade?.version.candidate, let supervisor else { return }
        // One in another folder that comes to light because this one was removed is another plugin.
        let isSuccessor = new.place == version.place || (try? FileStatus(version.candidate.location)) != nil
        guard state == .ready, worker.isRunning, isSuccessor else {
            supervisor.note(new.candidate)
            let replacement = new.replacement(of: version)
            adopt(new)
            if state != .disabled { restart(.upgraded, "there is another file\(replacement)") }
            return
        }
        upgrade = PluginUpgrade(of: self, to: new, supervisor)
        upgrade?.begin()
    }

    /// Runs from this file from now on.
    func adopt(_ new: PluginVersion) {
        let isOther = new.candidate != version.candidate
        version = new
        upgrade = nil
        if isOther { supervisor?.versionChanged(of: self) }
        supervisor?.announce(self)
    }

    /// Ends the worker and its calls, and starts one of the new file.
    func takeOver(_ reason: String) {
        guard let upgrade else { return }
        supervisor?.note(upgrade.version.candidate)
        let replacement = upgrade.version.replacement(of: version)
        adopt(upgrade.version)
        restart(.upgraded, reason + replacement)
    }

    /// Says what it has to do with others of the same id, which are not used.
    func hides(_ paths: [String]) {
        guard paths != problems.hidden else { return }
        for path in paths where !problems.hidden.contains(path) {
            supervisor?.context.log.warning("plugin \(id): \(path) is not used, \(version.candidate.location) hides it")
        }
        problems.hidden = paths
        supervisor?.announce(self)
    }

    /// A provider of it was registered; or was not, for this reason.
    func registered(_ refusal: String?) {
        let before = problems
        if let refusal { problems.refused(refusal) } else { problems.registered() }
        if problems != before { supervisor?.announce(self) }
    }

    /// Learns what the file holds from which it is started.
    private func learnContents(of file: PluginFile, _ library: FileReader) {
        supervisor?.onDisk { [weak self] in
            let contents = file.contents(of: library)
            Loop.shared.post {
                guard let self, self.version.file == file else { return }
                self.version.contents = contents
            }
        }
    }

    /// Ends the worker until the user has granted what the plugin needs.
    private func awaitConsent() {
        become(.needsConsent, permissions.complaint(of: id))
        dismiss(.leaves)
    }

    private func become(_ state: PluginState, _ error: String) {
        self.state = state
        self.error = error.displayable
        if ![.starting, .ready, .restarting].contains(state) { sandbox.end() }
        supervisor?.announce(self)
    }

    // MARK: its permissions

    /// The key of the decisions about its permissions.
    var place: PluginGrants.Place { version.place }

    /// The permissions that it asks for, and those that are granted.
    var permissions: PluginPermissions { permissions(of: version) }

    /// What the bus shows: what a new file asks for as well.
    var shownPermissions: PluginPermissions {
        upgrade?.version.file == nil
            ? permissions : permissions.joined(by: permissions(of: upgrade?.version ?? version))
    }

    func permissions(of version: PluginVersion) -> PluginPermissions {
        guard let supervisor, version.file != nil else { return .none }
        return PluginPermissions(
            version.manifest, isPackaged: version.isPackaged,
            decisions: supervisor.decisions.permissions(for: version.place))
    }

    /// Applies changed permissions. Its worker and its calls end if its own have changed, because those of a running worker
    /// cannot change.
    func permissionsChanged(from before: Set<Permission>) {
        defer { upgrade?.examine() }
        guard permissions.granted != before else { return }
        switch state {
        case .disabled, .quarantined, .incompatible: supervisor?.announce(self)
        case .starting, .ready, .restarting, .needsConsent:
            if permissions.hasConsent { restart(.permissions, "its permissions have changed") } else { awaitConsent() }
        }
    }

    /// Whether its worker is being ended and its folders are being removed. No worker starts meanwhile, and the plugin stays
    /// even if its bundle goes.
    var isBeingForgotten: Bool { !forgetting.isEmpty }

    /// Ends the worker, removes the folders of the plugin, and starts it again.
    ///
    /// - Parameter then: Called when the folders are gone, or with the error that kept one.
    func forget(then: @escaping @LoopActor (SystemError?) -> Void) {
        forgetting.append(then)
        guard forgetting.count == 1 else { return }
        startReason = .forgotten
        worker.forgive()
        if state != .disabled { become(.restarting, "") }
        dismiss(.leaves)
        if !worker.isRunning { removeFolders() }
    }

    /// Removes the folders. The worker has ended, so that nothing writes to them.
    private func removeFolders() {
        guard let supervisor else { return }
        let storage = PluginStorage(id: id, environment: supervisor.context.configuration.environment)
        supervisor.onDisk { [weak self] in
            var failure: SystemError?
            do throws(SystemError) {
                try storage?.remove()
            } catch {
                failure = error
            }
            let error = failure
            Loop.shared.post { self?.foldersAreGone(error) }
        }
    }

    private func foldersAreGone(_ error: SystemError?) {
        let waiting = forgetting
        forgetting = []
        // The bundle may have been removed meanwhile.
        supervisor?.rescan()
        if state == .restarting { start() }
        for then in waiting { then(error) }
    }

    // MARK: its sandbox

    /// The least level at which it is started. A packaged plugin may run at `syscalls`, because who installed it trusts
    /// it.
    var demand: SandboxLevel { demand(of: version) }

    func demand(of version: PluginVersion) -> SandboxLevel {
        sandbox.isUnconfined ? .none : version.isPackaged ? .syscalls : .landlock
    }

    /// How its worker is confined; nil while there is no worker.
    var confinement: SandboxReport? { worker.isRunning ? worker.report : nil }

    /// Measures the worker and its folders, and quarantines a plugin that exceeds a bound.
    func checkBounds() { if worker.isRunning { sandbox.measure(pid) } }

    private func judge(_ use: ProcessUse, of pid: Int32, at now: MonotonicTime) {
        guard isServing, self.pid == pid, let supervisor,
            let reason = sandbox.excess(of: use, at: now, hasCalls: supervisor.hasCalls(self))
        else { return }
        quarantine("its worker \(reason)")
    }
}

extension Plugin: SupervisedProcessDelegate {
    func launch(onExit: @escaping @LoopActor (LinkedProcess, ExitStatus) -> Void) throws -> LinkedProcess {
        guard let configuration = supervisor?.context.configuration, let file = version.file else {
            throw CallError(.unknownPlugin, id)
        }
        let library = try file.open()
        let policy = try sandbox.policy(for: file, permissions, demand: demand)
        let words = try OutputPipe("plugin \(id)", libraries: [LinkedProcess.libraryName: id])
        defer { words.closeWritingEnd() }
        run = Run(words: words)
        let group = sandbox.makeGroup()
        if version.contents == nil { learnContents(of: file, library) }
        return try LinkedProcess(
            loading: file.libraryPath, library, worker: configuration.workerPath, policy: policy,
            errors: words.writingEnd,
            beforePolicy: { [weak self] pid in self?.sandbox.bound(pid) },
            // A group can be removed once its worker has ended, which may be after the plugin was removed.
            onExit: { process, status in withExtendedLifetime(group) { onExit(process, status) } })
    }

    func started(on link: PrivateLink) {
        guard let supervisor else { return }
        supervisor.serve(link)
        run.helloTimer = LoopTimer(after: supervisor.context.configuration.deadlines.duration(of: .hello)) {
            [weak self] in
            self?.worker.kill("no hello by the deadline")
        }
        become(.starting, error)
        supervisor.watchWorkers()
        sandbox.measureFolders()
    }

    func answeredPing() {
        if state == .ready, !error.isEmpty { become(.ready, "") }
    }

    func linkClosed() { supervisor?.linkClosed(of: self) }

    func ended(_ end: SupervisedProcess.End) {
        let bound = sandbox.boundExceeded(end)
        if supervisor?.isStopping == true { sandbox.end() }
        let words = run.words?.lastWords().displayable ?? ""
        run = Run()
        problems.registered()
        supervisor?.workerEnded(of: self)
        if let upgrade { adopt(upgrade.version) }
        if isBeingForgotten { return removeFolders() }
        switch (end, state) {
        case (.notStarted(let error as PluginObstacle), _): quarantine(error.description)
        case (.notStarted(let error), _) where Self.isPassing(error):
            awaitsStart = true
            if state != .restarting { supervisor?.context.log.warning("plugin \(id) is started later: \(error)") }
            become(.restarting, "\(error)")
            supervisor?.retryLater()
        case (.notStarted(let error), _): become(.incompatible, "\(error)")
        case (_, .disabled), (_, .incompatible), (_, .quarantined), (_, .needsConsent): become(state, error)
        case (.stopped, .restarting):
            restarts += 1
            start()
        case (.stopped, .starting), (.stopped, .ready): supervisor?.announce(self)
        case (.failed(let status, let reason), _): failed(WorkerEnd(status, words: words), reason, bound)
        }
    }

    /// What is short now may be there later, and a file that was exchanged is looked at again.
    private static func isPassing(_ error: any Error) -> Bool {
        switch error as? PluginFileError {
        case .exchanged: true
        case .unreadable(let error): error.isShortage
        case .some: false
        case nil: (error as? SystemError)?.isShortage ?? ((error as? DBusError)?.name == DBusError.Name.limitsExceeded)
        }
    }

    /// - Parameter bound: The bound that it died of, if any.
    private func failed(_ end: WorkerEnd, _ reason: String?, _ bound: String?) {
        if let obstacle = end.obstacle(entry: PluginPart.provider.entry) { return become(.incompatible, obstacle) }
        if end.status == .exited(ProgramExit.notConfined.rawValue) {
            return become(.incompatible, sandbox.failure(in: worker.report, demand: demand))
        }
        guard let supervisor, !supervisor.isStopping else { return }
        if case .rejected(_, _, let reason) = version.candidate { return become(.incompatible, reason.description) }
        if let bound { return quarantine("its worker \(bound)") }
        let text = reason ?? end.text
        let again = worker.startAgain()
        let next = again == nil ? "it is quarantined" : "it is started again"
        let said =
            supervisor.context.configuration.logsIdentities && !end.words.isEmpty
            ? "; its last words: \(end.words)" : ""
        supervisor.context.log.warning("plugin \(id): its worker \(text); \(next)\(said)")
        guard again != nil else {
            return become(.quarantined, "\(Self.crashLimit) crashes in 60 s, the last: \(text)")
        }
        restarts += 1
        startReason = .crashed
        become(.restarting, text)
    }
}
