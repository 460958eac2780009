// PluginDirectories: the call directories of plugins, as the bus and the store know them.

import CallModel
import CallWire
import DBus
import EventLoop
import Logging
import WorkerLaunch

@LoopActor
final class PluginDirectories {
    private let context: HostContext
    private unowned let store: StoreSupervisor
    /// What the bus shows, by the ids of the plugins.
    private var proxies: [String: DirectoryExtensionProxy] = [:]

    init(_ context: HostContext, _ store: StoreSupervisor) {
        self.context = context
        self.store = store
    }

    /// Shows or hides the directory of a plugin whose file was found.
    func export(of plugin: Plugin) {
        let path = ObjectPath.plugin(plugin.id)
        if plugin.hasDirectory, proxies[plugin.id] == nil {
            let proxy = DirectoryExtensionProxy(plugin.id, context, store)
            proxies[plugin.id] = proxy
            context.tree.export(proxy, at: path, DirectoryExtensionProxy.interface)
        } else if !plugin.hasDirectory, proxies[plugin.id] != nil {
            proxies[plugin.id] = nil
            context.tree.remove(path, interface: Contract.directoryExtension)
        }
    }

    /// The plugin is gone, and with it its object.
    func remove(_ id: String) { proxies[id] = nil }

    /// Tells the store, if it is there, which directories it is to load.
    func tellStore(of plugins: some Collection<Plugin>) {
        guard store.isReachable else { return }
        store.call(
            PrivateMember.Store.setExtensions, context.configuration.workerPath, context.configuration.deadlines[.load],
            plugins.compactMap(Self.wire), timeout: .seconds(20)
        ) { [weak self] result in
            guard let self else { return }
            do {
                let reports = try result.get().read([String: VariantDictionary].self)
                for (id, report) in reports { proxies[id]?.update(report) }
            } catch {
                if store.isReachable { context.log.error("callkit-store was not told of call directories: \(error)") }
            }
        }
    }

    private static func wire(of plugin: Plugin) -> DirectoryPlugin.Wire? {
        guard let file = plugin.version.file, plugin.hasDirectory else { return nil }
        let permissions = plugin.permissions
        return DirectoryPlugin(
            file, isEnabled: plugin.isEnabled && permissions.hasConsent, demand: plugin.demand,
            permissions: permissions.granted.sorted()
        ).wire
    }

    /// The store that knew them has gone.
    func forget() {
        for proxy in proxies.values { proxy.forget() }
    }

    /// Receives the store's signal that one has changed.
    func changed(_ signal: Message) {
        guard let (id, report) = try? signal.read(String.self, VariantDictionary.self) else { return }
        proxies[id]?.update(report)
    }
}
