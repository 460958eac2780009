// The plugins that have call directories, as the store is told of them, and what it says of them.

import CallModel
import CallWire
import DBus
import EventLoop
import Logging
import WorkerLaunch

extension PluginSupervisor {
    private var directoryPlugins: [DirectoryPlugin.Wire] {
        plugins.values.compactMap { plugin in
            guard case .usable(let file) = plugin.file, plugin.hasDirectory else { return nil }
            let permissions = plugin.permissions
            return DirectoryPlugin(
                file, isEnabled: plugin.isEnabled && permissions.hasConsent, demand: plugin.demand,
                permissions: permissions.granted.sorted()
            ).wire
        }
    }

    /// Shows or hides the directory of a plugin whose file was found.
    func exportDirectory(of plugin: Plugin) {
        let path = PluginObject.path(of: plugin.id)
        if plugin.hasDirectory, plugin.directory == nil {
            let proxy = DirectoryExtensionProxy(plugin.id, host: host)
            plugin.directory = proxy
            host.tree.export(proxy, at: path, DirectoryExtensionProxy.interface)
        } else if !plugin.hasDirectory, plugin.directory != nil {
            plugin.directory = nil
            host.tree.remove(path, interface: Contract.directoryExtension)
        }
    }

    /// Tells the store, if it is there; else it is told when it comes.
    func tellStore() {
        guard host.store.isReachable else { return }
        host.store.call(
            PrivateMember.Store.setExtensions, host.configuration.workerPath, host.configuration.deadlines[.load],
            directoryPlugins, timeoutMilliseconds: 20_000
        ) { [weak self] result in
            guard let self else { return }
            do {
                let reports = try result.get().read([String: VariantDictionary].self)
                for (id, report) in reports { plugins[id]?.directory?.take(report) }
            } catch {
                if host.store.isReachable { host.log.error("callkit-store was not told of call directories: \(error)") }
            }
        }
    }

    /// The store that knew the directories has gone.
    func forgetDirectories() {
        for plugin in plugins.values { plugin.directory?.forget() }
    }

    /// Takes the store's signal that a directory has changed.
    func take(directoryChanged signal: Message) {
        guard let (id, report) = try? signal.read(String.self, VariantDictionary.self) else { return }
        plugins[id]?.directory?.take(report)
    }
}
