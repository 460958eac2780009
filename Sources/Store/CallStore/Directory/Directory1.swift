// org.opencallkit.Directory1, which callkitd forwards.

internal import CallDirectory
import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class DirectoryObject {
    static let path = ObjectPath.directory
    static let changed = Signal<String>(Contract.directory, "Changed", args: ["source"])
    static let loading = Signal<String, UInt64>(Contract.directory, "Loading", args: ["plugin", "entries"])

    private unowned let server: StoreServer
    private var directories: Directories { server.directories }

    init(_ server: StoreServer) { self.server = server }

    static let interface = Interface<DirectoryObject>(Contract.directory) {
        Method(StoreMember.Directory.isBlocked) {
            (object: DirectoryObject, _, handle: String) throws(CallError) -> (Bool, String) in
            let source = try object.directories.blocker(of: handle)
            return (source != nil, source ?? "")
        }
        Method(StoreMember.Directory.identify) {
            (object: DirectoryObject, _, handle: String) throws(CallError) -> (String, String) in
            let found = try object.directories.label(of: handle)
            return (found?.label ?? "", found?.source ?? "")
        }
        Method(StoreMember.Directory.describe) {
            (object: DirectoryObject, _, handle: String) throws(CallError) -> VariantDictionary in
            try object.server.describe(handle)
        }
        Method(StoreMember.Directory.contacts) { (object: DirectoryObject, _) -> VariantDictionary in
            object.server.addressBook.report
        }
        changing(StoreMember.Directory.block, \.blocked, adding: true)
        changing(StoreMember.Directory.unblock, \.blocked, adding: false)
        Method(StoreMember.Directory.blocked) { (object: DirectoryObject, _) in
            object.directories.rules.blocked.all.map(\.description)
        }
        changing(StoreMember.Directory.allow, \.allowed, adding: true)
        changing(StoreMember.Directory.disallow, \.allowed, adding: false)
        Method(StoreMember.Directory.allowed) { (object: DirectoryObject, _) in
            object.directories.rules.allowed.all.map(\.description)
        }
        Method(StoreMember.Directory.extensions) { (object: DirectoryObject, _) -> [VariantDictionary] in
            object.directories.present.map { one in
                var report = one.report
                report["id"] = .string(one.id)
                return report
            }
        }
        DeferredMethod(StoreMember.Directory.reloadExtension) {
            (object: DirectoryObject, invocation: VoidInvocation, plugin: String) throws(CallError) in
            try object.directories.reload(plugin) { $0.answer(invocation) }
        }
        Method(StoreMember.Directory.enabledStatus) {
            (object: DirectoryObject, _, plugin: String) throws(CallError) -> String in
            try object.directories.existing(plugin).status
        }
        DeferredMethod(StoreMember.Directory.setEnabled) {
            (object: DirectoryObject, invocation: VoidInvocation, plugin: String, isEnabled: Bool)
                throws(CallError) in
            try object.directories.setEnabled(plugin, isEnabled) { $0.answer(invocation) }
        }
        Method(StoreMember.Directory.report) {
            (object: DirectoryObject, _, plugin: String) throws(CallError) -> VariantDictionary in
            try object.directories.existing(plugin).report
        }
        changed
        loading
    }

    private static nonisolated func changing(
        _ declared: MethodSignature, _ list: Directories.List, adding: Bool
    ) -> DeferredMethod<DirectoryObject> {
        DeferredMethod(declared) {
            (object: DirectoryObject, invocation: VoidInvocation, rule: String) throws(CallError) in
            try object.directories.change(list, rule, adding: adding) { $0.answer(invocation) }
        }
    }
}
