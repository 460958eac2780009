// Plugin: one plugin's file, its worker process and its state.

import CallModel
import DBus
import EventLoop
import Logging
import WorkerLaunch

/// The state of a plugin; raw values are the words on the bus.
enum PluginState: String, Sendable {
    case starting, ready, restarting, quarantined, incompatible, disabled
}

@LoopActor
final class Plugin {
    let id: String
    private(set) var file: PluginCandidate
    weak var supervisor: PluginSupervisor?
    private(set) var state = PluginState.starting
    /// Whether the user lets it run.
    private(set) var isEnabled: Bool
    /// What the bus shows of its directory; nil if it has none.
    var directory: DirectoryExtensionProxy?
    private(set) var error = ""
    private(set) var restarts: UInt32 = 0
    /// Whether its worker could not be started for lack of descriptors or memory.
    private var awaitsStart = false
    private(set) var saidHello = false
    var sdkVersion = ""
    /// What it wants to know of accounts, or why it has none: `NotSupported`.
    private(set) var schema: Result<AccountSchema, CallError>
    private let worker = SupervisedProcess(BackOff(pauses: [100, 200], limit: crashLimit), pingDeadline: 2_000)
    private var helloTimer: LoopTimer?
    /// What the worker writes to its standard error.
    private var words: OutputPipe?

    /// So many crashes within 60 s, and the plugin is not started again.
    private static let crashLimit = 3
    /// How long the worker may leave a message unanswered before it is pinged, in milliseconds.
    private static let patience = 1_000

    init(_ candidate: PluginCandidate, isEnabled: Bool, supervisor: PluginSupervisor) {
        id = candidate.id
        self.isEnabled = isEnabled
        file = candidate
        self.supervisor = supervisor
        schema = Self.schema(of: candidate)
        if case .usable(let file) = candidate { sdkVersion = file.note.sdkVersionText }
        worker.delegate = self
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

    /// Whether it lies anywhere but in the user's own plugin folder.
    var isPackaged: Bool {
        guard let folder = supervisor?.searchPath.userFolder else { return true }
        return !file.location.hasPrefix(folder + "/")
    }

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
    /// The worker's process id, or 0.
    var pid: Int32 { worker.pid }
    var link: PrivateLink? { worker.link }

    func start() {
        guard !worker.isRunning, let supervisor, !supervisor.isStopping else { return }
        guard isEnabled else { return become(.disabled, "") }
        if case .rejected(_, _, let reason) = file { return become(.incompatible, reason.description) }
        if hasDirectory, !hasProvider { return become(.ready, "") }
        awaitsStart = false
        worker.start()
    }

    /// Starts the worker if that was not possible before for lack of descriptors or memory.
    func startAfterShortage() { if awaitsStart { start() } }

    /// Whether it was found in one of these folders.
    func isIn(_ folders: [String: SystemError]) -> Bool {
        folders.keys.contains { folder in
            let beginning = folder == "/" ? folder : folder + "/"
            return file.location.hasPrefix(beginning) && !file.location.dropFirst(beginning.count).contains("/")
        }
    }

    /// Whether it remains what it is, although a scan has found something else under its id: its own place, or what is in it,
    /// could not be looked at.
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
        become(.ready, "")
        supervisor?.watchWorkers()
        // The answer to Hello comes first.
        Loop.shared.post { [weak self] in
            if let self { supervisor?.host.accounts.deliveries.deliver(to: id) }
        }
    }

    /// The worker speaks another protocol.
    func refuse(_ reason: String) {
        become(.incompatible, reason)
        worker.kill(reason)
    }

    /// A message was sent that needs an answer. Pings the worker if it is still silent a while later.
    func expectAnswer() { worker.ping(afterMilliseconds: Self.patience) }

    /// Asks the worker whether it is alive, unless that is asked already.
    func ping() { if saidHello { worker.ping() } }

    /// Asks the worker to end.
    func stop() { worker.stop() }

    /// Ends the worker and starts no other until a client enables or restarts the plugin.
    func quarantine(_ reason: String) {
        supervisor?.host.log.warning("plugin \(id) is quarantined: \(reason)")
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
        if worker.isRunning { become(.restarting, "") } else { start() }
    }

    func restart() {
        worker.forgive()
        become(.restarting, "")
        worker.stop()
        if !worker.isRunning { start() }
    }

    /// Another file has taken the place of the plugin's file.
    func replace(with candidate: PluginCandidate) {
        guard candidate != file else { return }
        file = candidate
        schema = Self.schema(of: candidate)
        supervisor?.host.accounts.pluginChanged(id)
        if state != .disabled { restart() }
    }

    private func become(_ state: PluginState, _ error: String) {
        self.state = state
        self.error = error.displayable
        supervisor?.announce(self)
    }
}

extension Plugin: SupervisedProcessDelegate {
    func launch(onExit: @escaping @LoopActor (LinkedProcess, ExitStatus) -> Void) throws -> LinkedProcess {
        guard let configuration = supervisor?.host.configuration, case .usable(let file) = file else {
            throw CallError(.unknownPlugin, id)
        }
        let library = try file.open()
        let words = try OutputPipe()
        defer { words.closeWritingEnd() }
        self.words = words
        return try LinkedProcess(
            loading: path, library, worker: configuration.workerPath, environment: configuration.environment,
            errors: words.writingEnd, onExit: onExit)
    }

    func started(on link: PrivateLink) {
        guard let host = supervisor?.host else { return }
        host.serveLink(link)
        link.onUnmatchedReply = { [weak host, weak link] message in
            if let link { host?.takeReply(message, on: link) }
        }
        saidHello = false
        helloTimer = LoopTimer(afterMilliseconds: Int(host.configuration.deadlines[.hello])) { [weak self] in
            self?.worker.kill("no hello by the deadline")
        }
        become(.starting, "")
    }

    func answeredPing() {}

    func linkClosed() { supervisor?.linkClosed(of: self) }

    func ended(_ end: SupervisedProcess.End) {
        helloTimer = nil
        let lastWords = words?.lastWords().displayable ?? ""
        words = nil
        supervisor?.workerEnded(of: self)
        switch (end, state) {
        case (.notStarted(let error), _) where Self.isPassing(error):
            awaitsStart = true
            if state != .restarting { supervisor?.host.log.warning("plugin \(id) is started later: \(error)") }
            become(.restarting, "\(error)")
            supervisor?.retryLater()
        case (.notStarted(let error), _): become(.incompatible, "\(error)")
        case (_, .disabled), (_, .incompatible), (_, .quarantined): become(state, error)
        case (.stopped, .restarting):
            restarts += 1
            start()
        case (.stopped, .starting), (.stopped, .ready): supervisor?.announce(self)
        case (.failed(let status, let reason), _): failed(status, reason, lastWords)
        }
    }

    /// The plugin may write who calls. It has written it to standard error itself; the daemon repeats only what the
    /// Swift runtime says, unless it logs identities.
    private func logged(_ words: String) -> String {
        let isOfRuntime = words.hasPrefix("Swift/") && words.contains(": Fatal error: ")
        return isOfRuntime || supervisor?.host.configuration.logsIdentities == true ? words : "see above"
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

    /// - Parameter lastWords: go to the log only: a plugin may write who calls.
    private func failed(_ status: ExitStatus, _ reason: String?, _ lastWords: String) {
        switch status {
        case .exited(ProgramExit.notLoaded.rawValue):
            return become(.incompatible, "the file could not be loaded (see the daemon's standard error)")
        case .exited(ProgramExit.noEntry.rawValue):
            return become(.incompatible, "the file has no entry \(PluginPart.provider.entry)")
        default: break
        }
        guard supervisor?.isStopping == false else { return }
        let text = reason ?? "\(status)"
        let again = worker.startAgain()
        let said = lastWords.isEmpty ? "" : "; its last words: \(logged(lastWords))"
        let next = again == nil ? "it is quarantined" : "it is started again"
        supervisor?.host.log.warning("plugin \(id): its worker \(text); \(next)\(said)")
        guard again != nil else {
            return become(.quarantined, "\(Self.crashLimit) crashes in 60 s, the last: \(text)")
        }
        restarts += 1
        become(.restarting, text)
    }
}
