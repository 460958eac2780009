// Plugin: one plugin's file, its permissions, its worker process and its state.

import CallModel
import DBus
import EventLoop
import Files
import Logging
import WorkerLaunch

/// The state of a plugin; raw values are the words on the bus.
enum PluginState: String, Sendable {
    case starting, ready, restarting
    case needsConsent = "needs-consent"
    case quarantined, incompatible, disabled
}

@LoopActor
final class Plugin {
    let id: String
    private(set) var file: PluginCandidate
    /// Whether its installation grants what it asks for; see `PluginSearchPath.isPackaged(in:)`.
    private(set) var isPackaged: Bool
    private(set) weak var supervisor: PluginSupervisor?
    private(set) var state = PluginState.starting
    /// Whether the user lets it run.
    private(set) var isEnabled: Bool
    private(set) var error = ""
    private(set) var restarts: UInt32 = 0
    /// Whether its worker could not be started for lack of descriptors or memory.
    private var awaitsStart = false
    private(set) var saidHello = false
    private(set) var sdkVersion = ""
    /// The fields of its accounts, or why it has none: `NotSupported`.
    private(set) var schema: Result<AccountSchema, CallError>
    /// Confines its workers.
    let sandbox: PluginSandbox
    /// Called when its folders are gone; empty while they are not being removed.
    private var forgetting: [@LoopActor (SystemError?) -> Void] = []
    private let worker = SupervisedProcess(
        BackOff(pauses: [.milliseconds(100), .milliseconds(200)], limit: crashLimit), pingDeadline: .seconds(2))
    private var helloTimer: LoopTimer?
    /// What the worker writes to its standard error.
    private var words: OutputPipe?

    /// So many crashes within 60 s, and the plugin is not started again.
    private static let crashLimit = 3
    /// How long the worker may leave a message unanswered before it is pinged.
    private static let answerTime = Duration.seconds(1)

    init(_ candidate: PluginCandidate, isEnabled: Bool, supervisor: PluginSupervisor) {
        id = candidate.id
        self.isEnabled = isEnabled
        file = candidate
        isPackaged = supervisor.isPackaged(candidate)
        self.supervisor = supervisor
        schema = Self.schema(of: candidate)
        sandbox = PluginSandbox(of: id, supervisor.context, onDisk: { [weak supervisor] in supervisor?.onDisk($0) })
        if case .usable(let file) = candidate { sdkVersion = file.note.sdkVersionText }
        worker.delegate = self
        sandbox.onUse = { [weak self] in self?.judge($0, of: $1, at: $2) }
        sandbox.onFolderExcess = { [weak self] excess in
            if let self, isServing { quarantine("it \(excess)") }
        }
    }

    var path: String { file.path }
    var resourceFolder: String {
        if case .usable(let file) = file { return file.resourceDirectory }
        return ""
    }

    private var parts: Set<PluginPart> {
        if case .usable(let file) = file { Set(file.parts) } else { [] }
    }

    var hasProvider: Bool { parts.contains(.provider) }
    /// The store runs it while the entries of its directory are loaded.
    var hasDirectory: Bool { parts.contains(.directory) }
    /// The words for its parts on the bus.
    var kinds: [String] { (hasProvider ? ["provider"] : []) + (hasDirectory ? ["directory"] : []) }

    var hasSchema: Bool { if case .success = schema { true } else { false } }

    private static func schema(of candidate: PluginCandidate) -> Result<AccountSchema, CallError> {
        Result { () throws(CallError) in
            guard case .usable(let file) = candidate else {
                throw CallError(.notSupported, "plugin \(candidate.id) cannot be used")
            }
            do {
                if let schema = try AccountSchema.read(inBundle: file.resourceDirectory) { return schema }
            } catch {
                let reason = (error as? CallError)?.message ?? "\(error)"
                throw CallError(.notSupported, "plugin \(file.id) has no valid schema: \(reason)")
            }
            throw CallError(.notSupported, "plugin \(file.id) has no accounts")
        }
    }

    var isRunning: Bool { worker.isRunning }
    /// Whether the worker runs and is not being ended.
    var isServing: Bool { worker.isRunning && (state == .starting || state == .ready) }
    /// The worker's process id, or 0.
    var pid: Int32 { worker.pid }
    var link: PrivateLink? { worker.link }

    func start() {
        guard !worker.isRunning, !isBeingForgotten, let supervisor, !supervisor.isStopping else { return }
        guard isEnabled else { return become(.disabled, supervisor.decisions.doubt(about: id)) }
        if case .rejected(_, _, let reason) = file { return become(.incompatible, reason.description) }
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
            let location = file.location.utf8
            return location.starts(with: beginning.utf8)
                && !location.dropFirst(beginning.utf8.count).contains(UInt8(ascii: "/"))
        }
    }

    /// Whether it remains what it is, although a scan has found something else under its id: its own place, or what is
    /// in it, could not be looked at.
    func staysInspite(of candidate: PluginCandidate, _ unread: [String: SystemError]) -> Bool {
        if isIn(unread) { return true }
        guard case .usable = file else { return false }
        return candidate.isPassing && candidate.location == file.location
    }

    /// The worker said Hello and speaks this host's protocol.
    func greeted(sdkVersion: String) {
        self.sdkVersion = sdkVersion
        saidHello = true
        helloTimer = nil
        sandbox.log(worker.report)
        become(.ready, "")
        // The answer to Hello comes first.
        Loop.shared.post { [weak self] in
            if let self { supervisor?.onGreeting(id) }
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

    /// Asks the worker to end.
    func stop() {
        worker.stop()
        if !worker.isRunning { sandbox.end() }
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
        worker.stop()
    }

    func enable() {
        isEnabled = true
        guard state == .disabled || state == .quarantined else { return }
        worker.forgive()
        if worker.isRunning || isBeingForgotten { become(.restarting, "") } else { start() }
    }

    func restart() {
        worker.forgive()
        // There is no worker here to restart.
        if hasDirectory, !hasProvider { return start() }
        become(.restarting, "")
        worker.stop()
        if !worker.isRunning { start() }
    }

    /// Another file has taken the place of the plugin's file.
    func replace(with candidate: PluginCandidate) {
        guard candidate != file else { return }
        file = candidate
        isPackaged = supervisor?.isPackaged(candidate) ?? false
        schema = Self.schema(of: candidate)
        supervisor?.onChange(id)
        if state != .disabled { restart() }
    }

    /// Ends the worker until the user has granted what the plugin needs.
    private func awaitConsent() {
        become(.needsConsent, permissions.complaint(of: id))
        worker.stop()
    }

    private func become(_ state: PluginState, _ error: String) {
        self.state = state
        self.error = error.displayable
        if ![.starting, .ready, .restarting].contains(state) { sandbox.end() }
        supervisor?.announce(self)
    }

    // MARK: its permissions

    /// The key of the decisions about its permissions.
    var place: PluginGrants.Place { PluginGrants.Place(id: id, folder: file.location.deletingLastElement) }

    /// The permissions that it asks for, and those that are granted.
    var permissions: PluginPermissions {
        guard let supervisor, case .usable(let file) = file else { return .none }
        return PluginPermissions(
            file.manifest, isPackaged: isPackaged, decisions: supervisor.decisions.permissions(for: place))
    }

    /// Applies changed permissions. Its worker and its calls end, because the permissions of a running worker cannot
    /// change.
    func permissionsChanged() {
        switch state {
        case .disabled, .quarantined, .incompatible: supervisor?.announce(self)
        case .starting, .ready, .restarting, .needsConsent:
            if permissions.hasConsent {
                restart()
            } else {
                supervisor?.withdrawProviders(of: self)
                awaitConsent()
            }
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
        supervisor?.withdrawProviders(of: self)
        worker.forgive()
        if state != .disabled { become(.restarting, "") }
        worker.stop()
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
    var demand: SandboxLevel { sandbox.isUnconfined ? .none : isPackaged ? .syscalls : .landlock }

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
        guard let configuration = supervisor?.context.configuration, case .usable(let file) = file else {
            throw CallError(.unknownPlugin, id)
        }
        let library = try file.open()
        let policy = try sandbox.policy(for: file, permissions, demand: demand)
        let words = try OutputPipe("plugin \(id)")
        defer { words.closeWritingEnd() }
        self.words = words
        let group = sandbox.makeGroup()
        return try LinkedProcess(
            loading: path, library, worker: configuration.workerPath, policy: policy, errors: words.writingEnd,
            beforePolicy: { [weak self] pid in self?.sandbox.bound(pid) },
            // A group can be removed once its worker has ended, which may be after the plugin was removed.
            onExit: { process, status in withExtendedLifetime(group) { onExit(process, status) } })
    }

    func started(on link: PrivateLink) {
        guard let supervisor else { return }
        supervisor.serve(link)
        saidHello = false
        helloTimer = LoopTimer(after: supervisor.context.configuration.deadlines.duration(of: .hello)) {
            [weak self] in
            self?.worker.kill("no hello by the deadline")
        }
        become(.starting, "")
        supervisor.watchWorkers()
        sandbox.measureFolders()
    }

    func answeredPing() {}

    func linkClosed() { supervisor?.linkClosed(of: self) }

    func ended(_ end: SupervisedProcess.End) {
        helloTimer = nil
        let bound = sandbox.boundExceeded(end)
        if supervisor?.isStopping == true { sandbox.end() }
        let lastWords = words?.lastWords().displayable ?? ""
        words = nil
        supervisor?.workerEnded(of: self)
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
        case (.failed(let status, let reason), _): failed(status, reason, bound, lastWords)
        }
    }

    /// The plugin may write who calls. It has written it to standard error itself; the daemon repeats only what the
    /// Swift runtime says, unless it logs identities.
    private func logged(_ words: String) -> String {
        let isOfRuntime = words.hasPrefix("Swift/") && words.contains(": Fatal error: ")
        return isOfRuntime || supervisor?.context.configuration.logsIdentities == true ? words : "see above"
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

    /// - Parameters:
    ///   - bound: The bound that it died of, if any.
    ///   - lastWords: go to the log only: a plugin may write who calls.
    private func failed(_ status: ExitStatus, _ reason: String?, _ bound: String?, _ lastWords: String) {
        switch status {
        case .exited(ProgramExit.notLoaded.rawValue):
            return become(.incompatible, "the file could not be loaded (see the daemon's standard error)")
        case .exited(ProgramExit.noEntry.rawValue):
            return become(.incompatible, "the file has no entry \(PluginPart.provider.entry)")
        case .exited(ProgramExit.notConfined.rawValue):
            return become(.incompatible, sandbox.failure(in: worker.report, demand: demand))
        default: break
        }
        guard supervisor?.isStopping == false else { return }
        if let bound { return quarantine("its worker \(bound)") }
        let text = reason ?? PluginSandbox.words(for: status)
        let again = worker.startAgain()
        let said = lastWords.isEmpty ? "" : "; its last words: \(logged(lastWords))"
        let next = again == nil ? "it is quarantined" : "it is started again"
        supervisor?.context.log.warning("plugin \(id): its worker \(text); \(next)\(said)")
        guard again != nil else {
            return become(.quarantined, "\(Self.crashLimit) crashes in 60 s, the last: \(text)")
        }
        restarts += 1
        become(.restarting, text)
    }
}
