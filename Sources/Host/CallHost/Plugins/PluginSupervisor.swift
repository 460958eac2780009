// PluginSupervisor: finds plugins and starts their workers.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Files
import Logging
import WorkerLaunch

@LoopActor
final class PluginSupervisor: PluginBook {
    let context: HostContext
    private unowned let providers: any ProviderBook
    /// Serves the link of a worker.
    var serve: @LoopActor (PrivateLink) -> Void = { _ in }
    /// Called with the id of a plugin that has come, gone or changed.
    var onChange: @LoopActor (String) -> Void = { _ in }
    /// Called with the id of a plugin whose worker has said Hello.
    var onGreeting: @LoopActor (String) -> Void = { _ in }
    /// Called with the id of a plugin whose worker has gone.
    var onWorkerEnd: @LoopActor (String) -> Void = { _ in }
    /// Called when a plugin may not be awaited any more.
    var onSettled: @LoopActor () -> Void = {}
    private(set) var plugins: [String: Plugin] = [:]
    let directories: PluginDirectories
    let decisions: PluginDecisions
    /// Measures and removes folders of plugins.
    private var disk: BackgroundThread?
    private lazy var scans: PluginScans = PluginScans(
        PluginSearchPath(
            first: context.configuration.pluginFolders, environment: context.configuration.environment,
            executableFolder: context.configuration.executableFolder),
        log: context.log, onRetry: { [weak self] in self?.retry() },
        onScan: { [weak self] in self?.apply($0, unread: $1) })
    /// Asks all workers whether they are alive.
    private lazy var rounds = PluginRounds(every: context.configuration.workerPingPeriod) { [weak self] in
        self?.visitWorkers() ?? false
    }
    private(set) var isStopping = false
    private var onStopped: (@LoopActor () -> Void)?

    init(_ context: HostContext, _ providers: any ProviderBook, _ store: StoreSupervisor) {
        self.context = context
        self.providers = providers
        directories = PluginDirectories(context, store)
        decisions = PluginDecisions(context)
    }

    func start() {
        // The folder is watched, so it must exist before the user puts the first plugin there.
        if let folder = scans.path.userFolder { try? FileWriter.makeFolder(folder) }
        decisions.read()
        for id in context.configuration.unconfinedPlugins.sorted() {
            context.log.warning("plugin \(id) is to run without a sandbox: --no-sandbox")
        }
        rescan()
    }

    /// Stops every worker and calls `then` when the last has ended.
    func stop(then: @escaping @LoopActor () -> Void) {
        guard !isStopping else { return }
        isStopping = true
        scans.cancel()
        rounds.cancel()
        onStopped = then
        for plugin in plugins.values { plugin.stop() }
        finishStopping()
    }

    /// A worker has started: all are asked from time to time whether they are alive.
    func watchWorkers() { if !isStopping { rounds.begin() } }

    /// - Returns: whether there are any.
    private func visitWorkers() -> Bool {
        let running = plugins.values.filter(\.isRunning)
        for plugin in running {
            plugin.ping()
            plugin.checkBounds()
        }
        return !running.isEmpty && !isStopping
    }

    /// The ids of the plugins that are not started any more.
    var quarantined: [String] { plugins.values.filter { $0.state == .quarantined }.map(\.id).sorted() }

    func quarantine(_ id: String, _ reason: String) { plugins[id]?.quarantine(reason) }

    /// Whether a provider of the plugin has a call that has not ended, or that may ring in a moment.
    ///
    /// - Parameter lately: whether calls count that have ended a few seconds ago.
    func hasCalls(_ plugin: Plugin, lately: Bool = false) -> Bool {
        let own = Set(providers.owned(by: .plugin(plugin.id)))
        return context.core.calls.values.contains { own.contains($0.provider) && (lately || !$0.hasEnded) }
            || context.core.waiting.contains { own.contains($0.provider) }
    }

    /// A call has ended: the new files of plugins that have no call any more take over.
    func callEnded() {
        guard plugins.values.contains(where: { $0.upgrade?.stage == .waiting }) else { return }
        // The rest of what ended it comes first.
        Loop.shared.post { [weak self] in
            for plugin in self?.plugins.values.map(\.self) ?? [] { plugin.upgrade?.proceed() }
        }
    }

    func isPackaged(_ candidate: PluginCandidate) -> Bool {
        scans.path.isPackaged(in: candidate.location.deletingLastElement)
    }

    /// Does work that waits for a disk, after all such work before it.
    func onDisk(_ work: @escaping @Sendable () -> Void) {
        if disk == nil { disk = try? BackgroundThread("plugins") }
        if let disk { disk.post(work) } else { work() }
    }

    var ids: Set<String> { Set(plugins.keys) }

    func plugin(on channel: any MessageChannel) -> Plugin? {
        plugins.values.first { $0.link === channel }
    }

    /// Looks at the folders, and adds, replaces and removes plugins as they say.
    func rescan() { if !isStopping { scans.scan() } }

    private func apply(_ found: [PluginCandidate], unread: [String: SystemError]) {
        var missing = Set(plugins.keys)
        var hidden: [String: [String]] = [:]
        for candidate in found {
            if case .shadowed(let id, let path, _) = candidate {
                hidden[id, default: []].append(path)
                continue
            }
            missing.remove(candidate.id)
            guard let plugin = plugins[candidate.id] else {
                add(candidate)
                continue
            }
            if !plugin.staysInspite(of: candidate, unread) {
                plugin.replace(with: PluginVersion(candidate, isPackaged: isPackaged(candidate)))
            }
        }
        // Nobody knows what is in a folder that could not be read: what was there stays.
        for id in missing {
            if let plugin = plugins[id], !plugin.isIn(unread), !plugin.isBeingForgotten { remove(id) }
        }
        for plugin in plugins.values { plugin.hides(hidden[plugin.id] ?? []) }
        tellStore()
    }

    /// Looks and starts again what could not be read or started.
    private func retry() {
        rescan()
        for plugin in plugins.values { plugin.startAfterShortage() }
    }

    /// A worker could not be started for lack of descriptors or memory.
    func retryLater() { scans.retryLater() }

    /// Says what is wrong with a file that a plugin is to run from.
    func note(_ candidate: PluginCandidate) {
        switch candidate {
        case .rejected(let id, let path, let reason): context.log.warning("plugin \(id) skipped (\(path)): \(reason)")
        case .usable(let file):
            for line in file.manifest.unknown {
                context.log.warning("plugin \(file.id): \(PluginManifest.fileName), \(line); it is passed over")
            }
        case .shadowed: break
        }
    }

    /// A plugin runs from another file than before.
    func versionChanged(of plugin: Plugin) {
        directories.export(of: plugin)
        onChange(plugin.id)
        tellStore()
    }

    private func add(_ candidate: PluginCandidate) {
        note(candidate)
        decisions.doubt(candidate, isPackaged: isPackaged(candidate))
        let plugin = Plugin(candidate, isEnabled: decisions.isEnabled(candidate.id), supervisor: self)
        plugins[plugin.id] = plugin
        context.tree.export(
            PluginObject(plugin), at: ObjectPath.plugin(plugin.id), PluginObject.interface)
        directories.export(of: plugin)
        onChange(plugin.id)
        plugin.start()
    }

    private func remove(_ id: String) {
        guard let plugin = plugins.removeValue(forKey: id) else { return }
        plugin.disable()
        directories.remove(id)
        context.tree.remove(ObjectPath.plugin(id))
        onChange(id)
    }

    /// Whether a plugin was started and has no provider yet.
    ///
    /// - Parameter isSuperfluous: which plugins are not counted.
    func areAwaited(besides isSuperfluous: (Plugin) -> Bool = { _ in false }) -> Bool {
        !isStopping
            && plugins.values.contains { plugin in
                plugin.hasProvider && (plugin.state == .starting || plugin.state == .ready)
                    && !providers.areOwned(by: .plugin(plugin.id)) && !isSuperfluous(plugin)
            }
    }

    func announce(_ plugin: Plugin) {
        context.log.info("plugin \(plugin.id) \(plugin.state.rawValue) \(plugin.error)")
        let path = ObjectPath.plugin(plugin.id)
        if let object = context.tree.object(at: path) as? PluginObject, object.plugin === plugin {
            context.tree.propertiesChanged(at: path, Contract.plugin, object.showChanges())
        }
        if plugin.state != .starting, plugin.state != .ready { onSettled() }
    }

    /// Marks the plugin's providers as lost: they cannot be reached any more, even if the process still runs.
    func linkClosed(of plugin: Plugin) {
        // The providers of a plugin that was removed belong to its successor.
        guard plugins[plugin.id] === plugin else { return }
        for provider in providers.owned(by: .plugin(plugin.id)) { providers.lose(provider) }
    }

    func workerEnded(of plugin: Plugin) {
        linkClosed(of: plugin)
        onWorkerEnd(plugin.id)
        finishStopping()
    }

    /// What becomes of the providers of a plugin whose worker is to end.
    enum Parting {
        /// They come back with the next worker: their calls end `provider-restarted`.
        case returns
        /// They are removed from the bus: their calls end `failed`.
        case leaves
        /// The daemon ends, and has ended their calls.
        case stays
    }

    func part(from plugin: Plugin, _ parting: Parting) {
        for provider in providers.owned(by: .plugin(plugin.id)) {
            switch parting {
            case .returns: context.submit(.providerRestarted(provider))
            case .leaves: context.submit(.providerRemoved(provider))
            case .stays: break
            }
        }
    }

    private func finishStopping() {
        guard isStopping, !plugins.values.contains(where: \.isRunning), let onStopped else { return }
        self.onStopped = nil
        onStopped()
    }

    /// Tells the store which directories there are, if it is there; else it is told when it comes.
    func tellStore() { directories.tellStore(of: plugins.values) }

    // MARK: what the user decides

    /// Writes down whether a plugin may run, and lets it run or not. One that is disabled ends even if that cannot be written.
    ///
    /// - Throws: `StoreUnavailable` if it cannot be written.
    func set(_ plugin: Plugin, enabled isEnabled: Bool) throws(CallError) {
        try decisions.set(plugin.id, enabled: isEnabled) { isChange in
            if isEnabled {
                plugin.enable()
            } else if plugin.isEnabled {
                context.log.notice("plugin \(plugin.id): it is disabled by the user")
                plugin.disable()
            }
            if isChange { tellStore() }
        }
    }

    /// Writes a decision about permissions of a plugin down, and puts it in force. What is revoked is revoked even if that
    /// cannot be written.
    ///
    /// - Throws: The errors of `Grant` and `Revoke` of org.opencallkit.Plugin1.
    func decide(_ texts: [String], _ isGranted: Bool, of plugin: Plugin) throws(CallError) {
        guard plugin.version.file != nil else {
            throw CallError(
                .invalidAction, "plugin \(plugin.id) is incompatible, what it asks for is unknown: \(plugin.error)")
        }
        let permissions = try plugin.shownPermissions.asked(texts, of: plugin.id)
        let before = plugin.permissions.granted
        try decisions.decide(permissions, isGranted, for: plugin.place) {
            plugin.permissionsChanged(from: before)
            tellStore()
        }
    }

    /// Forgets the decisions about a plugin, and removes its folders.
    ///
    /// - Parameter then: Called when the folders are gone, or with the error that kept one.
    /// - Throws: `StoreUnavailable` if the decisions cannot be written; nothing has changed then.
    func forget(_ plugin: Plugin, then: @escaping @LoopActor (SystemError?) -> Void) throws(CallError) {
        _ = try decisions.forget { $0 == plugin.place }
        plugin.forget(then: then)
        tellStore()
    }

    func forget(_ id: String, then: @escaping @LoopActor (Result<Bool, SystemError>) -> Void) throws(CallError) {
        guard PluginFile.isID(id) else { throw CallError(.invalidArguments, "\"\(id.excerpt)\" is no plugin's id") }
        guard plugins[id] == nil else {
            throw CallError(.invalidAction, "plugin \(id) is there, see Forget of \(Contract.plugin)")
        }
        let hadDecisions = try decisions.forget { $0.id == id }
        let storage = PluginStorage(id: id, environment: context.configuration.environment)
        onDisk {
            let result = Result { () throws(SystemError) in try storage?.remove() ?? false }
            Loop.shared.post { then(result.map { $0 || hadDecisions }) }
        }
    }
}
