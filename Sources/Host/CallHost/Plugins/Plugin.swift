// Plugin: one plugin's file, its worker process and its state.

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
    weak var supervisor: PluginSupervisor?
    private(set) var state = PluginState.starting
    /// Whether the user lets it run.
    private(set) var isEnabled: Bool
    /// What the bus shows of its directory; nil if it has none.
    var directory: DirectoryExtensionProxy?
    private(set) var error = ""
    var restarts: UInt32 = 0
    /// Whether its worker could not be started for lack of descriptors or memory.
    var awaitsStart = false
    var saidHello = false
    var sdkVersion = ""
    /// The fields of its accounts, or why it has none: `NotSupported`.
    private(set) var schema: Result<AccountSchema, CallError>
    /// The permissions that its worker has: those that are granted and available on this machine.
    private(set) var held: Set<Permission> = []
    /// The proxies of the buses whose services it may call.
    let buses: PluginBuses
    /// The resources that its worker uses, and their bounds.
    var bounds = WorkerBounds()
    /// Whether its folders are being measured.
    var isMeasured = false
    /// The control group of its worker; nil if this machine has none for it.
    var group: ControlGroup?
    /// Called when its folders are gone; empty while they are not being removed.
    var forgetting: [@LoopActor (SystemError?) -> Void] = []
    let worker = SupervisedProcess(BackOff(pauses: [.milliseconds(100), .milliseconds(200)], limit: crashLimit), pingDeadline: .seconds(2))
    var helloTimer: LoopTimer?
    /// What the worker writes to its standard error.
    var words: OutputPipe?

    /// So many crashes within 60 s, and the plugin is not started again.
    static let crashLimit = 3
    /// How long the worker may leave a message unanswered before it is pinged.
    private static let answerTime = Duration.seconds(1)

    init(_ candidate: PluginCandidate, isEnabled: Bool, supervisor: PluginSupervisor) {
        id = candidate.id
        self.isEnabled = isEnabled
        file = candidate
        isPackaged = supervisor.isPackaged(candidate)
        self.supervisor = supervisor
        schema = Self.schema(of: candidate)
        let configuration = supervisor.context.configuration
        buses = PluginBuses(
            folder: configuration.runtimeFolder.map { "\($0)/bus" },
            environment: configuration.environment, log: supervisor.context.log)
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
        guard isEnabled else { return become(.disabled, supervisor.doubt(about: id)) }
        if case .rejected(_, _, let reason) = file { return become(.incompatible, reason.description) }
        let permissions = permissions
        guard permissions.hasConsent else { return become(.needsConsent, permissions.complaint(of: id)) }
        if hasDirectory, !hasProvider { return become(.ready, "") }
        awaitsStart = false
        held = permissions.granted
        do throws(PluginObstacle) {
            try drop(isUnconfined ? [:] : buses.adjust(to: held))
        } catch {
            return quarantine(error.description)
        }
        if state != .restarting, state != .starting { become(.starting, "") }
        buses.whenReady { [weak self] in
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
        logConfinement()
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
        if !worker.isRunning { buses.end() }
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
    func awaitConsent() {
        become(.needsConsent, permissions.complaint(of: id))
        worker.stop()
    }

    func become(_ state: PluginState, _ error: String) {
        self.state = state
        self.error = error.displayable
        if ![.starting, .ready, .restarting].contains(state) { buses.end() }
        supervisor?.announce(self)
    }

    /// Drops permissions that this machine cannot give to the worker, and logs the reasons.
    ///
    /// - Parameter refused: The reasons, by permission.
    /// - Throws: `PluginObstacle` if the plugin needs one of them.
    func drop(_ refused: [Permission: String]) throws(PluginObstacle) {
        let needs = permissions.needs
        for (permission, reason) in refused.sorted(by: { $0.key < $1.key }) {
            guard !needs.contains(permission) else {
                throw PluginObstacle(description: "it needs \(permission), which is not available: \(reason)")
            }
            supervisor?.context.log.warning("plugin \(id) runs without \(permission): \(reason)")
        }
        held.subtract(refused.keys)
    }
}
