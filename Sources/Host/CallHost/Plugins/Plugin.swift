// One plugin: its file, its worker and how it has fared.

import CallModel
import DBus
import EventLoop
import WorkerLaunch

/// How a plugin stands; raw values are the words on the bus.
enum PluginState: String, Sendable {
    case starting, ready, restarting, quarantined, incompatible, disabled, directory
}

@LoopActor
final class Plugin {
    let id: String
    private(set) var file: PluginCandidate
    weak var supervisor: PluginSupervisor?
    var worker: PluginWorker?
    private(set) var state = PluginState.starting
    private(set) var error = ""
    private(set) var restarts: UInt32 = 0
    var sdkVersion = ""
    private var crashes: [MonotonicTime] = []
    private var restartTimer: LoopTimer?

    /// Three crashes in this time, in ms, and the plugin is not started again.
    private static let crashWindow = 60_000
    private static let crashLimit = 3
    private static let firstBackOff = 100

    init(_ candidate: PluginCandidate, supervisor: PluginSupervisor) {
        id = candidate.id
        file = candidate
        self.supervisor = supervisor
        if case .usable(let file) = candidate { sdkVersion = file.note.sdkVersionText }
    }

    var path: String { file.path }
    var resourceFolder: String {
        if case .usable(let file) = file { return file.resourceDirectory }
        return ""
    }

    /// Whether it is a call directory and nothing else: run by the store, while its entries are loaded.
    var isDirectory: Bool {
        if case .usable(let file) = file { file.parts == [.directory] } else { false }
    }

    func start() {
        restartTimer = nil
        guard worker == nil, let supervisor, !supervisor.isStopping else { return }
        if case .rejected(_, _, let reason) = file { return become(.incompatible, reason.description) }
        if isDirectory { return become(.directory, "") }
        do {
            worker = try PluginWorker(self, host: supervisor.host) { [weak self] worker, status in
                self?.exited(worker, status)
            }
            become(.starting, "")
        } catch {
            become(.incompatible, "\(error)")
        }
    }

    /// The worker said hello and speaks our protocol.
    func greeted(sdkVersion: String) {
        self.sdkVersion = sdkVersion
        worker?.helloArrived()
        become(.ready, "")
    }

    /// Its protocol is not ours.
    func refuse(_ reason: String) {
        become(.incompatible, reason)
        worker?.end(reason)
    }

    func disable() {
        guard state != .disabled else { return }
        restartTimer = nil
        become(.disabled, "")
        worker?.stop()
    }

    func enable() {
        guard state == .disabled || state == .quarantined else { return }
        crashes = []
        if worker == nil { start() } else { become(.restarting, "") }
    }

    func restart() {
        crashes = []
        become(.restarting, "")
        if let worker { worker.stop() } else { start() }
    }

    /// A new file took the old one's place.
    func replace(with candidate: PluginCandidate) {
        guard candidate != file else { return }
        file = candidate
        if state != .disabled { restart() }
    }

    private func exited(_ worker: PluginWorker, _ status: ExitStatus) {
        guard self.worker === worker else { return }
        self.worker = nil
        supervisor?.workerEnded(of: self)
        switch state {
        case .disabled, .incompatible, .quarantined, .directory: become(state, error)
        case .restarting where worker.verdict == "":
            restarts += 1
            start()
        case .starting, .ready, .restarting: crashed(worker.verdict ?? Self.describe(status), status)
        }
    }

    private func crashed(_ reason: String, _ status: ExitStatus) {
        if case .exited(let code) = status, code == WorkerProcess.notLoaded || code == WorkerProcess.noEntry {
            return become(.incompatible, Self.describe(status))
        }
        guard supervisor?.isStopping == false else { return }
        let now = MonotonicTime.now
        crashes = crashes.filter { now.milliseconds(since: $0) < Self.crashWindow } + [now]
        guard crashes.count < Self.crashLimit else {
            return become(.quarantined, "\(crashes.count) crashes in 60 s, the last: \(reason)")
        }
        restarts += 1
        become(.restarting, reason)
        restartTimer = LoopTimer(afterMilliseconds: Self.firstBackOff << (crashes.count - 1)) { [weak self] in
            self?.start()
        }
    }

    private func become(_ state: PluginState, _ error: String) {
        self.state = state
        self.error = error
        supervisor?.announce(self)
    }

    private static func describe(_ status: ExitStatus) -> String {
        switch status {
        case .exited(WorkerProcess.notLoaded): "the file could not be loaded (see the daemon's standard error)"
        case .exited(WorkerProcess.noEntry): "the file has no entry opencallkit_plugin_main"
        case .exited(let code): "exited with status \(code)"
        case .signalled(let signal): "ended by signal \(signal)"
        }
    }
}
