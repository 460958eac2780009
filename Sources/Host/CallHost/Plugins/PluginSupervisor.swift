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
    let searchPath: PluginSearchPath
    private(set) var plugins: [String: Plugin] = [:]
    let directories: PluginDirectories
    let decisions: PluginDecisions
    /// Measures and removes folders of plugins.
    private var disk: BackgroundThread?
    private lazy var folders = PluginFolderWatch(searchPath.folders, log: context.log) { [weak self] in
        self?.rescanSoon()
    }
    private var rescanTimer: LoopTimer?
    private lazy var retries = PluginRetries(log: context.log) { [weak self] in self?.retry() }
    /// Fires when all workers are asked whether they are alive: one timer for all, so that the daemon wakes up once.
    private var pingTimer: LoopTimer?
    private(set) var isStopping = false
    private var onStopped: (@LoopActor () -> Void)?
    /// How long a change in a folder waits for others: a file that is written changes more than once.
    private static let settleTime = Duration.milliseconds(50)

    init(_ context: HostContext, _ providers: any ProviderBook, _ store: StoreSupervisor) {
        self.context = context
        self.providers = providers
        directories = PluginDirectories(context, store)
        decisions = PluginDecisions(context)
        let configuration = context.configuration
        searchPath = PluginSearchPath(
            first: configuration.pluginFolders, environment: configuration.environment,
            executableFolder: configuration.executableFolder)
    }

    func start() {
        // The folder is watched, so it must exist before the user puts the first plugin there.
        if let folder = searchPath.userFolder { try? FileWriter.makeFolder(folder) }
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
        pingTimer = LoopTimer(after: context.configuration.workerPingPeriod) { [weak self] in
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
        let own = Set(providers.owned(by: .plugin(plugin.id)))
        return context.core.calls.live.contains { own.contains($0.provider) }
    }

    func isPackaged(_ candidate: PluginCandidate) -> Bool {
        searchPath.isPackaged(in: candidate.location.deletingLastElement)
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

    private func rescanSoon() {
        guard rescanTimer == nil, !isStopping else { return }
        rescanTimer = LoopTimer(after: Self.settleTime) { [weak self] in
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
                context.log.warning("plugin \(id) skipped (\(path)): \(reason)")
            }
            if case .usable(let file) = candidate, plugins[file.id]?.file != candidate {
                for line in file.manifest.unknown {
                    context.log.info("plugin \(file.id): \(PluginManifest.fileName), \(line): passed over")
                }
            }
            missing.remove(candidate.id)
            if let plugin = plugins[candidate.id] {
                plugin.replace(with: candidate)
                directories.export(of: plugin)
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
        withdrawProviders(of: plugin)
        directories.remove(id)
        context.tree.remove(ObjectPath.plugin(id))
        plugin.disable()
        onChange(id)
    }

    /// Whether a plugin was started and has no provider yet.
    var areAwaited: Bool {
        !isStopping
            && plugins.values.contains { plugin in
                plugin.hasProvider && (plugin.state == .starting || plugin.state == .ready)
                    && !providers.areOwned(by: .plugin(plugin.id))
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

    /// Removes the plugin's providers from the bus. Their calls end `failed`.
    func withdrawProviders(of plugin: Plugin) {
        for provider in providers.owned(by: .plugin(plugin.id)) { context.submit(.providerRemoved(provider)) }
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
                withdrawProviders(of: plugin)
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
        guard case .usable = plugin.file else {
            throw CallError(
                .invalidAction, "plugin \(plugin.id) is incompatible, what it asks for is unknown: \(plugin.error)")
        }
        let permissions = try plugin.permissions.asked(texts, of: plugin.id)
        let before = plugin.permissions.granted
        try decisions.decide(permissions, isGranted, for: plugin.place) {
            guard plugin.permissions.granted != before else { return }
            plugin.permissionsChanged()
            tellStore()
        }
    }

    /// Forgets the decisions about a plugin, and removes its folders.
    ///
    /// - Parameter then: Called when the folders are gone, or with the error that kept one.
    /// - Throws: `StoreUnavailable` if the decisions cannot be written; nothing has changed then.
    func forget(_ plugin: Plugin, then: @escaping @LoopActor (SystemError?) -> Void) throws(CallError) {
        try decisions.forget(plugin.place)
        plugin.forget(then: then)
        tellStore()
    }
}
