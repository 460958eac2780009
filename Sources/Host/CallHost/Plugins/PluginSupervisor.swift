// PluginSupervisor: finds plugins and starts their workers.

import CallCore
import CallModel
import DBus
import EventLoop
import Files
import Logging
import WorkerLaunch

@LoopActor
final class PluginSupervisor {
    unowned let host: CallSystemHost
    let searchPath: PluginSearchPath
    private(set) var plugins: [String: Plugin] = [:]
    var settings = PluginSettings()
    let settingsFile: SettingsFile<PluginSettings>
    /// What the user has granted and revoked.
    var grants = PluginGrants()
    let grantsFile: SettingsFile<PluginGrants>
    /// The ids of the plugins that were found since the files were read.
    var judged: Set<String> = []
    /// Measures and removes folders of plugins.
    private var disk: BackgroundThread?
    private lazy var folders = PluginFolderWatch(searchPath.folders, log: host.log) { [weak self] in self?.rescanSoon()
    }
    private var rescanTimer: LoopTimer?
    private lazy var retries = PluginRetries(log: host.log) { [weak self] in self?.retry() }
    /// Fires when all workers are asked whether they are alive: one timer for all, so that the daemon wakes up once.
    private var pingTimer: LoopTimer?
    private(set) var isStopping = false
    private var onStopped: (@LoopActor () -> Void)?
    /// How long a change in a folder waits for others, in milliseconds: a file that is written changes more than once.
    private static let settleTime = 50

    init(host: CallSystemHost) {
        self.host = host
        settingsFile = SettingsFile("plugins", of: "the plugins that may run", for: host)
        grantsFile = SettingsFile("permissions", of: "the permissions of plugins", for: host)
        let configuration = host.configuration
        searchPath = PluginSearchPath(
            first: configuration.pluginFolders, environment: configuration.environment,
            executableFolder: configuration.executableFolder)
    }

    func start() {
        // The folder is watched, so it must exist before the user puts the first plugin there.
        if let folder = searchPath.userFolder { try? FileWriter.makeFolder(folder) }
        settings = settingsFile.read()
        grants = grantsFile.read()
        for id in host.configuration.unconfinedPlugins.sorted() {
            host.log.warning("plugin \(id) is to run without a sandbox: --no-sandbox")
        }
        rescan()
    }

    /// Stops every worker and calls `then` when the last has ended.
    func stop(then: @escaping @LoopActor () -> Void) {
        guard !isStopping else { return }
        isStopping = true
        folders.cancel()
        rescanTimer = nil
        retries.cancel()
        pingTimer = nil
        onStopped = then
        for plugin in plugins.values { plugin.stop() }
        finishStopping()
    }

    /// Asks all workers from time to time whether they are alive, as long as there are any.
    func watchWorkers() {
        guard pingTimer == nil, !isStopping else { return }
        pingTimer = LoopTimer(afterMilliseconds: host.configuration.workerPingPeriod) { [weak self] in
            guard let self else { return }
            pingTimer = nil
            let running = plugins.values.filter(\.isRunning)
            for plugin in running {
                plugin.ping()
                plugin.checkBounds()
            }
            if !running.isEmpty { watchWorkers() }
        }
    }

    /// The ids of the plugins that are not started any more.
    var quarantined: [String] { plugins.values.filter { $0.state == .quarantined }.map(\.id).sorted() }

    func quarantine(_ id: String, _ reason: String) { plugins[id]?.quarantine(reason) }

    /// Whether a provider of the plugin has a call that has not ended.
    func hasCalls(_ plugin: Plugin) -> Bool {
        let own = Set(host.providers.owned(by: .plugin(plugin.id)).map(\.id))
        return host.machine.calls.live.contains { own.contains($0.provider) }
    }

    func isPackaged(_ candidate: PluginCandidate) -> Bool {
        searchPath.isPackaged(in: candidate.location.deletingLastElement)
    }

    /// Does work that waits for a disk, after all such work before it.
    func onDisk(_ work: @escaping @Sendable () -> Void) {
        if disk == nil { disk = try? BackgroundThread("plugins") }
        if let disk { disk.post(work) } else { work() }
    }

    /// The plugin whose worker has the other end of `channel`.
    func plugin(on channel: any MessageChannel) -> Plugin? {
        plugins.values.first { $0.link === channel }
    }

    private func rescanSoon() {
        guard rescanTimer == nil, !isStopping else { return }
        rescanTimer = LoopTimer(afterMilliseconds: Self.settleTime) { [weak self] in
            self?.rescanTimer = nil
            self?.rescan()
        }
    }

    /// Looks at the folders, and adds, replaces and removes plugins as they say.
    func rescan() {
        guard !isStopping else { return }
        var missing = Set(plugins.keys)
        var unread: [String: SystemError] = [:]
        let found = searchPath.scan(unread: &unread)
        for candidate in found {
            if let known = plugins[candidate.id], known.staysInspite(of: candidate, unread) {
                missing.remove(candidate.id)
                continue
            }
            if case .rejected(let id, let path, let reason) = candidate, plugins[id]?.file != candidate {
                host.log.warning("plugin \(id) skipped (\(path)): \(reason)")
            }
            if case .usable(let file) = candidate, plugins[file.id]?.file != candidate {
                for line in file.manifest.unknown {
                    host.log.info("plugin \(file.id): \(PluginManifest.fileName), \(line): passed over")
                }
            }
            missing.remove(candidate.id)
            if let plugin = plugins[candidate.id] {
                plugin.replace(with: candidate)
                exportDirectory(of: plugin)
            } else {
                add(candidate)
            }
        }
        // Nobody knows what is in a folder that could not be read: what was there stays.
        for id in missing {
            if let plugin = plugins[id], !plugin.isIn(unread), !plugin.isBeingForgotten { remove(id) }
        }
        let isIncomplete = !unread.isEmpty || found.contains { $0.isPassing }
        retries.note(unread, isIncomplete: isIncomplete)
        tellStore()
        // Another scan finds what came between this scan and the new watches.
        if folders.watch(found.map(\.location)) { rescanSoon() }
    }

    /// Looks and starts again what could not be read or started.
    private func retry() {
        rescan()
        for plugin in plugins.values { plugin.startAfterShortage() }
    }

    /// A worker could not be started for lack of descriptors or memory.
    func retryLater() { retries.begin() }

    private func add(_ candidate: PluginCandidate) {
        doubt(candidate)
        let plugin = Plugin(candidate, isEnabled: !settings.disabled.contains(candidate.id), supervisor: self)
        plugins[plugin.id] = plugin
        host.tree.export(
            PluginObject(plugin), at: PluginObject.path(of: plugin.id), PluginObject.interface)
        exportDirectory(of: plugin)
        host.accounts.pluginChanged(plugin.id)
        plugin.start()
    }

    private func remove(_ id: String) {
        guard let plugin = plugins.removeValue(forKey: id) else { return }
        withdrawProviders(of: plugin)
        host.tree.remove(PluginObject.path(of: id))
        plugin.disable()
        host.accounts.pluginChanged(id)
    }

    /// Writes down whether a plugin may run, and lets it run or not. One that is disabled ends even if that cannot be written.
    ///
    /// - Throws: `StoreUnavailable` if it cannot be written.
    func set(_ plugin: Plugin, enabled isEnabled: Bool) throws(CallError) {
        var new = settings
        if isEnabled { new.disabled.remove(plugin.id) } else { new.disabled.insert(plugin.id) }
        try settingsFile.keep(new, orHold: isEnabled ? nil : new) { new in
            let isChange = new != settings
            settings = new
            if isEnabled {
                plugin.enable()
            } else if plugin.isEnabled {
                withdrawProviders(of: plugin)
                plugin.disable()
            }
            if isChange { tellStore() }
        }
    }

    /// Whether a plugin was started and has no provider yet.
    var areAwaited: Bool {
        !isStopping
            && plugins.values.contains { plugin in
                plugin.hasProvider && (plugin.state == .starting || plugin.state == .ready)
                    && !host.providers.areOwned(by: .plugin(plugin.id))
            }
    }

    func announce(_ plugin: Plugin) {
        host.log.info("plugin \(plugin.id) \(plugin.state.rawValue) \(plugin.error)")
        let path = PluginObject.path(of: plugin.id)
        if let object = host.tree.object(at: path) as? PluginObject, object.plugin === plugin {
            host.tree.propertiesChanged(at: path, Contract.plugin, object.takeChanges())
        }
        if plugin.state != .starting, plugin.state != .ready { host.earlyRequests.admit() }
    }

    /// Marks the plugin's providers as lost: they cannot be reached any more, even if the process still runs.
    func linkClosed(of plugin: Plugin) {
        // The providers of a plugin that was removed belong to its successor.
        guard plugins[plugin.id] === plugin else { return }
        for provider in host.providers.owned(by: .plugin(plugin.id)) { host.lost(provider.id) }
    }

    func workerEnded(of plugin: Plugin) {
        linkClosed(of: plugin)
        host.accounts.workerEnded(plugin.id)
        finishStopping()
    }

    /// Removes the plugin's providers from the bus. Their calls end `failed`.
    func withdrawProviders(of plugin: Plugin) {
        for provider in host.providers.owned(by: .plugin(plugin.id)) { host.submit(.providerRemoved(provider.id)) }
    }

    private func finishStopping() {
        guard isStopping, !plugins.values.contains(where: \.isRunning), let onStopped else { return }
        self.onStopped = nil
        onStopped()
    }
}
