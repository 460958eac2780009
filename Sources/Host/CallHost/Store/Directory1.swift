// org.opencallkit.Directory1 on the bus: handed on to the store.

import CallModel
import CallWire
import DBus
import EventLoop
import Logging
import WorkerLaunch

@LoopActor
final class DirectoryProxy {
    private unowned let host: CallSystemHost

    init(_ host: CallSystemHost) { self.host = host }

    static let interface = Interface<DirectoryProxy>(Contract.directory) {
        ForwardedMethod(StoreMember.Directory.isBlocked, forward)
        ForwardedMethod(StoreMember.Directory.identify, forward)
        ForwardedMethod(StoreMember.Directory.describe, forward)
        ForwardedMethod(StoreMember.Directory.contacts, forward)
        ForwardedMethod(StoreMember.Directory.block, forward)
        ForwardedMethod(StoreMember.Directory.unblock, forward)
        ForwardedMethod(StoreMember.Directory.blocked, forward)
        ForwardedMethod(StoreMember.Directory.allow, forward)
        ForwardedMethod(StoreMember.Directory.disallow, forward)
        ForwardedMethod(StoreMember.Directory.allowed, forward)
        ForwardedMethod(StoreMember.Directory.extensions, forward)
        ForwardedMethod(StoreMember.Directory.reloadExtension) { (object: DirectoryProxy, context) throws(CallError) in
            let limit = Int(object.host.configuration.deadlines[.load]) + loadMargin
            try object.host.store.forward(context, timeoutMilliseconds: limit)
        }
        ForwardedMethod(StoreMember.Directory.enabledStatus, forward)
        ForwardedMethod(StoreMember.Directory.setEnabled, forward)
        ForwardedMethod(StoreMember.Directory.report, forward)
        Signal<String>(Contract.directory, "Changed", args: ["source"])
        Signal<String, UInt64>(Contract.directory, "Loading", args: ["plugin", "entries"])
    }

    /// The store itself ends a load in time and says so; a slow disk comes on top, in milliseconds.
    private static let loadMargin = 60_000

    private static func forward(_ object: DirectoryProxy, _ context: CallContext) throws(CallError) {
        try object.host.store.forward(context)
    }
}

extension PluginSupervisor {
    /// The plugins that have call directories, as the store is told of them.
    private var directories: [Struct<String, String, String>] {
        plugins.values.compactMap { plugin in
            guard case .usable(let file) = plugin.file, file.parts.contains(.directory) else { return nil }
            return Struct(plugin.id, file.libraryPath, file.resourceDirectory)
        }
    }

    /// Tells the store, if it is there; else it is told when it comes.
    func tellStore() {
        host.store.call(
            PrivateMember.Store.setExtensions, host.configuration.workerPath, host.configuration.deadlines[.load],
            directories,
            timeoutMilliseconds: 20_000
        ) { [weak self] result in
            guard case .failure(let error) = result, let self, host.store.isReachable else { return }
            host.log.error("callkit-store was not told of call directories: \(error.message)")
        }
    }
}
