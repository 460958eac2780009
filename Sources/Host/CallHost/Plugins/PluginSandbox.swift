// PluginSandbox: the sandbox and the bounds of a plugin's workers.

import CallCore
import CallModel
import EventLoop
import Files
import Logging
import WorkerLaunch

/// Why a plugin is not started, though its file is valid: this machine lacks something that it needs.
struct PluginObstacle: Error, CustomStringConvertible {
    let description: String
}

/// Confines the workers of one plugin, one after the other, and measures what they and the plugin's folders use.
@LoopActor
final class PluginSandbox {
    private let id: String
    private let context: HostContext
    private let onDisk: @LoopActor (@escaping @Sendable () -> Void) -> Void
    /// The permissions that the worker has: those that are granted and available on this machine.
    private(set) var held: Set<Permission> = []
    /// The proxies of the buses whose services it may call.
    private let buses: PluginBuses
    /// What the worker used when it was measured last.
    private var bounds = WorkerBounds()
    /// Whether its folders are being measured.
    private var isMeasured = false
    /// The control group of its worker; nil if this machine has none for it.
    private var group: ControlGroup?
    /// Called with what a worker uses, when `measure` has found it out.
    var onUse: @LoopActor (ProcessUse, Int32, MonotonicTime) -> Void = { _, _, _ in }
    /// Called with the bound that the folders exceed, as the end of a sentence about the plugin.
    var onFolderExcess: @LoopActor (String) -> Void = { _ in }

    /// - Parameter onDisk: does work that waits for a disk on another thread.
    init(
        of id: String, _ context: HostContext, onDisk: @escaping @LoopActor (@escaping @Sendable () -> Void) -> Void
    ) {
        self.id = id
        self.context = context
        self.onDisk = onDisk
        buses = PluginBuses(
            folder: context.configuration.runtimeFolder.map { "\($0)/bus" },
            environment: context.configuration.environment, log: context.log)
    }

    /// Whether the daemon was told to run it without a sandbox.
    var isUnconfined: Bool { context.configuration.unconfinedPlugins.contains(id) }

    // MARK: permissions

    /// Gives the next worker the permissions that are granted and available.
    ///
    /// - Throws: `PluginObstacle` if the plugin needs one that is not available.
    func grant(_ permissions: PluginPermissions) throws(PluginObstacle) {
        held = permissions.granted
        try drop(isUnconfined ? [:] : buses.adjust(to: held), permissions)
    }

    /// Calls `then` when the buses can be used, or do not come.
    func whenReady(then: @escaping @LoopActor () -> Void) { buses.whenReady(then: then) }

    /// No worker follows.
    func end() { buses.end() }

    /// Drops permissions that this machine cannot give to the worker, and logs the reasons.
    ///
    /// - Parameter refused: The reasons, by permission.
    /// - Throws: `PluginObstacle` if the plugin needs one of them.
    private func drop(
        _ refused: [Permission: String], _ permissions: PluginPermissions
    ) throws(PluginObstacle) {
        for (permission, reason) in refused.sorted(by: { $0.key < $1.key }) {
            guard !permissions.needs.contains(permission) else {
                throw PluginObstacle(description: "it needs \(permission), which is not available: \(reason)")
            }
            context.log.warning("plugin \(id) runs without \(permission): \(reason)")
        }
        held.subtract(refused.keys)
    }

    // MARK: the sandbox

    /// Makes the sandbox of its worker: its own files and folders, and what is granted.
    ///
    /// - Throws: `PluginObstacle` if this machine lacks something that it needs; `CallError` or `SystemError`
    ///   otherwise.
    func policy(
        for file: PluginFile, _ permissions: PluginPermissions, demand: SandboxLevel
    ) throws -> SandboxPolicy {
        let configuration = context.configuration
        guard let storage = PluginStorage(id: id, environment: configuration.environment) else {
            throw PluginObstacle(description: "the daemon's environment names no home for the plugin's folders")
        }
        do throws(SystemError) {
            try storage.prepare(for: .provider)
        } catch {
            if error.isShortage { throw error }
            throw PluginObstacle(description: "its folders cannot be made: \(error)")
        }
        onDisk { storage.removeLeftovers() }
        var resources = SandboxResources(of: held, environment: configuration.environment)
        try drop(resources.refused, permissions)
        resources.sessionBus = buses.sockets[.session]
        resources.systemBus = buses.sockets[.system]
        return try SandboxPolicy(
            for: file.sandboxed, granted: held, storage: storage, resources: resources,
            environment: configuration.environment, worker: configuration.workerPath, demand: demand,
            kernel: configuration.simulatedKernel)
    }

    /// Starts a worker of a new file beside the one that runs. It has folders of its own, which are removed after it, and of
    /// what is granted only files, so that it meets neither the network nor the accounts of the one that runs.
    ///
    /// - Throws: if it cannot be started.
    func rehearse(
        _ file: PluginFile, _ permissions: PluginPermissions, demand: SandboxLevel,
        then: @escaping @LoopActor (String?) -> Void
    ) throws -> PluginRehearsal {
        let configuration = context.configuration
        guard let storage = PluginStorage(id: "\(id).new", environment: configuration.environment) else {
            throw PluginObstacle(description: "the daemon's environment names no home for the plugin's folders")
        }
        try storage.prepare(for: .provider)
        let granted = permissions.granted.filter { if case .files = $0 { true } else { false } }
        let policy = try SandboxPolicy(
            for: file.sandboxed, granted: granted, storage: storage,
            resources: SandboxResources(of: granted, environment: configuration.environment),
            environment: configuration.environment, worker: configuration.workerPath, demand: demand,
            kernel: configuration.simulatedKernel)
        return try PluginRehearsal(
            of: file, worker: configuration.workerPath, policy: policy,
            permissions: permissions.granted.sorted().map(\.text),
            hello: configuration.deadlines.duration(of: .hello)
        ) { [onDisk] failure in
            onDisk { _ = try? storage.remove() }
            then(failure)
        }
    }

    /// Makes the group that bounds the next worker; nil where there are no groups.
    func makeGroup() -> ControlGroup? {
        group = nil
        guard !isUnconfined, let tree = context.configuration.controlGroups else { return nil }
        do throws(SystemError) {
            group = try ControlGroup("plugin-\(id)", in: tree, WorkerBounds.ofGroup)
        } catch {
            context.log.warning("plugin \(id) has no control group: \(error)")
        }
        return group
    }

    /// Puts the worker into its control group, if it has one. The worker has started and waits for its policy.
    func bound(_ pid: Int32) {
        bounds = WorkerBounds()
        do throws(SystemError) {
            try group?.add(pid)
        } catch {
            context.log.warning("plugin \(id) is not in its control group: \(error)")
        }
    }

    /// Logs how the worker is confined: as a warning if the level is below `full`.
    func log(_ report: SandboxReport?) {
        let owner = Owner.plugin(id)
        if isUnconfined {
            return context.notices.log(.warning, "plugin \(id) runs without a sandbox, as --no-sandbox says", by: owner)
        }
        guard let report else { return }
        let failures = report.failures.isEmpty ? "" : "; failed: \(report.failures.joined(separator: ", "))"
        let gaps = report.gaps.isEmpty ? "" : "; not enforced: \(report.gaps.joined(separator: ", "))"
        let missing = report.missing.isEmpty ? "" : "; not there: \(report.missing.joined(separator: ", "))"
        let level: Logger.Level = report.level == .full ? .info : .warning
        context.notices.log(
            level, "plugin \(id) is confined at the level \(report.level.rawValue)\(failures)\(gaps)\(missing)",
            by: owner)
    }

    /// Why a worker could not confine itself, as an error message.
    func failure(in report: SandboxReport?, demand: SandboxLevel) -> String {
        let failures = report?.failures ?? []
        let reason =
            failures.isEmpty ? "see the daemon's standard error" : "failed: \(failures.joined(separator: ", "))"
        let remedy =
            demand == .landlock
            ? "; plugins in the user's folder need namespaces or Landlock, which packaged plugins do not" : ""
        return "this machine cannot confine it (\(reason))\(remedy)"
    }

    // MARK: bounds

    /// Measures the worker and the folders. This happens on another thread, because an open file may be on a file system
    /// that does not answer.
    func measure(_ pid: Int32) {
        guard !isUnconfined, !isMeasured else { return }
        onDisk { [weak self] in
            guard let use = try? ProcessUse(of: pid) else { return }
            let now = MonotonicTime.now
            Loop.shared.post { self?.onUse(use, pid, now) }
        }
        measureFolders()
    }

    /// The bound that a worker exceeds, as the end of a sentence about it; nil if there is none.
    func excess(of use: ProcessUse, at now: MonotonicTime, hasCalls: Bool) -> String? {
        bounds.exceeded(by: use, at: now, hasCalls: hasCalls)
    }

    func measureFolders() {
        guard !isUnconfined, !isMeasured,
            let storage = PluginStorage(id: id, environment: context.configuration.environment)
        else { return }
        isMeasured = true
        onDisk { [weak self, id] in
            let excess = storage.excess(of: id)
            Loop.shared.post {
                self?.isMeasured = false
                if let excess { self?.onFolderExcess(excess) }
            }
        }
    }

    /// The bound for which the kernel killed the worker that has ended, as the end of a sentence about it; nil if there
    /// is none.
    func boundExceeded(_ end: SupervisedProcess.End) -> String? {
        defer { group = nil }
        guard case .failed(.signalled, _) = end, let group, group.killsForMemory > 0 else { return nil }
        return "was ended by the kernel: it took more than \(WorkerBounds.memory >> 20) MiB of memory"
    }
}
