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
        ForwardedMethod("IsBlocked", in: ["handle": "s"], out: ["blocked": "b", "source": "s"], forward)
        ForwardedMethod("Identify", in: ["handle": "s"], out: ["label": "s", "source": "s"], forward)
        ForwardedMethod("Describe", in: ["handle": "s"], out: ["known": "a{sv}"], forward)
        ForwardedMethod("Contacts", out: ["report": "a{sv}"], forward)
        ForwardedMethod("Block", in: ["rule": "s"], forward)
        ForwardedMethod("Unblock", in: ["rule": "s"], forward)
        ForwardedMethod("Blocked", out: ["rules": "as"], forward)
        ForwardedMethod("Allow", in: ["rule": "s"], forward)
        ForwardedMethod("Disallow", in: ["rule": "s"], forward)
        ForwardedMethod("Allowed", out: ["rules": "as"], forward)
        ForwardedMethod("Extensions", out: ["extensions": "aa{sv}"], forward)
        ForwardedMethod("ReloadExtension", in: ["plugin": "s"]) { (object: DirectoryProxy, context) throws(CallError) in
            let limit = Int(object.host.configuration.deadlines[.load]) + loadMargin
            try object.host.store.forward(context, timeoutMilliseconds: limit)
        }
        ForwardedMethod("EnabledStatus", in: ["plugin": "s"], out: ["status": "s"], forward)
        ForwardedMethod("SetEnabled", in: ["plugin": "s", "enabled": "b"], forward)
        ForwardedMethod("Report", in: ["plugin": "s"], out: ["report": "a{sv}"], forward)
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
            PrivateMember.Store.setExtensions, host.configuration.workerPath, host.configuration.deadlines[.load], directories,
            timeoutMilliseconds: 20_000
        ) { [weak self] result in
            guard case .failure(let error) = result, let self, host.store.isReachable else { return }
            host.log.error("callkit-store was not told of call directories: \(error.message)")
        }
    }
}
