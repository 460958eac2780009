// The sandbox and the bounds of a plugin's worker.

import CallCore
import CallModel
import EventLoop
import Files
import Glibc
import Logging
import WorkerLaunch

/// Why a plugin is not started, though its file is valid: this machine lacks something that it needs.
struct PluginObstacle: Error, CustomStringConvertible {
    let description: String
}

extension Plugin {
    /// Whether the daemon was told to run it without a sandbox.
    var isUnconfined: Bool { supervisor?.context.configuration.unconfinedPlugins.contains(id) == true }

    /// The least level at which it is started. A packaged plugin may run at `syscalls`, because who installed it trusts
    /// it.
    var demand: SandboxLevel { isUnconfined ? .none : isPackaged ? .syscalls : .landlock }

    /// How its worker is confined; nil while there is no worker.
    var confinement: SandboxReport? { worker.isRunning ? worker.report : nil }

    /// Makes the sandbox of its worker: its own files and folders, and what is granted.
    ///
    /// - Throws: `PluginObstacle` if this machine lacks something that it needs; `CallError` or `SystemError`
    ///   otherwise.
    func makePolicy(for file: PluginFile, _ configuration: HostConfiguration) throws -> SandboxPolicy {
        guard let storage = PluginStorage(id: id, environment: configuration.environment) else {
            throw PluginObstacle(description: "the daemon's environment names no home for the plugin's folders")
        }
        do throws(SystemError) {
            try storage.prepare(for: .provider)
        } catch {
            if error.isShortage { throw error }
            throw PluginObstacle(description: "its folders cannot be made: \(error)")
        }
        supervisor?.onDisk { storage.removeLeftovers() }
        var resources = SandboxResources(of: held, environment: configuration.environment)
        try drop(resources.refused)
        resources.sessionBus = buses.sockets[.session]
        resources.systemBus = buses.sockets[.system]
        return try SandboxPolicy(
            for: file.sandboxed, granted: held, storage: storage, resources: resources,
            environment: configuration.environment, worker: configuration.workerPath, demand: demand,
            kernel: configuration.simulatedKernel)
    }

    /// Makes the group that bounds the next worker; nil where there are no groups.
    func makeGroup() -> ControlGroup? {
        guard !isUnconfined, let tree = supervisor?.context.configuration.controlGroups else { return nil }
        do throws(SystemError) {
            return try ControlGroup("plugin-\(id)", in: tree, WorkerBounds.ofGroup)
        } catch {
            supervisor?.context.log.warning("plugin \(id) has no control group: \(error)")
            return nil
        }
    }

    /// Puts the worker into its control group, if it has one. The worker has started and waits for its policy.
    func bound(_ pid: Int32) {
        bounds = WorkerBounds()
        do throws(SystemError) {
            try group?.add(pid)
        } catch {
            supervisor?.context.log.warning("plugin \(id) is not in its control group: \(error)")
        }
    }

    /// Logs how the worker is confined: as a warning if the level is below `full`.
    func logConfinement() {
        guard let notices = supervisor?.context.notices else { return }
        let owner = Owner.plugin(id)
        if isUnconfined {
            return notices.log(.warning, "plugin \(id) runs without a sandbox, as --no-sandbox says", by: owner)
        }
        guard let report = worker.report else { return }
        let failures = report.failures.isEmpty ? "" : "; failed: \(report.failures.joined(separator: ", "))"
        let gaps = report.gaps.isEmpty ? "" : "; not enforced: \(report.gaps.joined(separator: ", "))"
        let missing = report.missing.isEmpty ? "" : "; not there: \(report.missing.joined(separator: ", "))"
        let level: Logger.Level = report.level == .full ? .info : .warning
        notices.log(
            level, "plugin \(id) is confined at the level \(report.level.rawValue)\(failures)\(gaps)\(missing)",
            by: owner)
    }

    /// Why the worker could not confine itself, as an error message.
    var notConfined: String {
        let failures = worker.report?.failures ?? []
        let reason =
            failures.isEmpty ? "see the daemon's standard error" : "failed: \(failures.joined(separator: ", "))"
        let remedy =
            demand == .landlock
            ? "; plugins in the user's folder need namespaces or Landlock, which packaged plugins do not" : ""
        return "this machine cannot confine it (\(reason))\(remedy)"
    }

    // MARK: Bounds

    /// Measures the worker and its folders, and quarantines a plugin that exceeds a bound. This happens on another
    /// thread, because an open file may be on a file system that does not answer.
    func checkBounds() {
        guard worker.isRunning, !isUnconfined, !isMeasured, let supervisor else { return }
        let pid = pid
        supervisor.onDisk { [weak self] in
            guard let use = try? ProcessUse(of: pid) else { return }
            let now = MonotonicTime.now
            Loop.shared.post { self?.judge(use, of: pid, at: now) }
        }
        checkFolders()
    }

    private func judge(_ use: ProcessUse, of pid: Int32, at now: MonotonicTime) {
        guard isServing, self.pid == pid, let supervisor,
            let reason = bounds.exceeded(by: use, at: now, hasCalls: supervisor.hasCalls(self))
        else { return }
        quarantine("its worker \(reason)")
    }

    /// Measures the folders of the plugin on another thread, and quarantines a plugin that exceeds a bound.
    func checkFolders() {
        guard !isUnconfined, !isMeasured, let supervisor,
            let storage = PluginStorage(id: id, environment: supervisor.context.configuration.environment)
        else { return }
        isMeasured = true
        supervisor.onDisk { [weak self, id] in
            let excess = storage.excess(of: id)
            Loop.shared.post { self?.judge(excess) }
        }
    }

    private func judge(_ excess: String?) {
        isMeasured = false
        if isServing, let excess { quarantine("it \(excess)") }
    }

    /// The bound for which the kernel killed the worker, as the end of a sentence about it; nil if there is none.
    func boundExceeded(_ end: SupervisedProcess.End) -> String? {
        guard case .failed(.signalled, _) = end, let group, group.killsForMemory > 0 else { return nil }
        return "was ended by the kernel: it took more than \(WorkerBounds.memory >> 20) MiB of memory"
    }

    /// How a worker ended, as the end of a sentence about it. Signals that the sandbox causes are explained.
    static func words(for status: ExitStatus) -> String {
        switch status {
        case .signalled(SIGXCPU): "was ended because it used up its processor time"
        case .signalled(SIGXFSZ): "was ended because it wrote a file that is too large"
        case .signalled(SIGKILL): "was killed by another program, or by the kernel because memory ran out"
        case .signalled(SIGSYS): "was ended because it made a system call that the sandbox forbids"
        default: "\(status)"
        }
    }
}
