// org.opencallkit.Directory1, as callkitd hands it on.

internal import CallDirectory
import CallModel
import DBus
import EventLoop
import CallWire

@LoopActor
final class DirectoryObject {
    static let path = ContractPath.directory
    static let changed = Signal<String>(Contract.directory, "Changed", args: ["source"])
    static let loading = Signal<String, UInt64>(Contract.directory, "Loading", args: ["plugin", "entries"])

    private let directories: Directories
    private unowned let server: StoreServer

    init(_ directories: Directories, _ server: StoreServer) {
        self.directories = directories
        self.server = server
    }

    static let interface = Interface<DirectoryObject>(Contract.directory) {
        Method("IsBlocked", in: ["handle"], out: ["blocked", "source"]) {
            (object: DirectoryObject, _, handle: String) throws(CallError) -> (Bool, String) in
            let source = try object.directories.blocker(of: handle)
            return (source != nil, source ?? "")
        }
        Method("Identify", in: ["handle"], out: ["label", "source"]) {
            (object: DirectoryObject, _, handle: String) throws(CallError) -> (String, String) in
            let found = try object.directories.label(of: handle)
            return (found?.label ?? "", found?.source ?? "")
        }
        Method("Describe", in: ["handle"], out: ["known"]) {
            (object: DirectoryObject, _, handle: String) throws(CallError) -> VariantDictionary in
            try object.server.describe(handle)
        }
        Method("Contacts", out: ["report"]) { (object: DirectoryObject, _) -> VariantDictionary in
            object.server.addressBook.report
        }
        changing("Block", .blocked, adding: true)
        changing("Unblock", .blocked, adding: false)
        Method("Blocked", out: ["rules"]) { (object: DirectoryObject, _) in
            object.directories.rules.blocked.all.map(\.description)
        }
        changing("Allow", .allowed, adding: true)
        changing("Disallow", .allowed, adding: false)
        Method("Allowed", out: ["rules"]) { (object: DirectoryObject, _) in
            object.directories.rules.allowed.all.map(\.description)
        }
        Method("Extensions", out: ["extensions"]) { (object: DirectoryObject, _) -> [VariantDictionary] in
            object.directories.present.map { one in
                var report = one.report
                report["id"] = .string(one.id)
                return report
            }
        }
        DeferredMethod("ReloadExtension", in: ["plugin"]) {
            (object: DirectoryObject, invocation: VoidInvocation, plugin: String) throws(CallError) in
            try object.directories.reload(plugin) { $0.answer(invocation) }
        }
        Method("EnabledStatus", in: ["plugin"], out: ["status"]) {
            (object: DirectoryObject, _, plugin: String) throws(CallError) -> String in
            try object.directories.existing(plugin).status
        }
        DeferredMethod("SetEnabled", in: ["plugin", "enabled"]) {
            (object: DirectoryObject, invocation: VoidInvocation, plugin: String, isEnabled: Bool)
                throws(CallError) in
            try object.directories.setEnabled(plugin, isEnabled) { $0.answer(invocation) }
        }
        Method("Report", in: ["plugin"], out: ["report"]) {
            (object: DirectoryObject, _, plugin: String) throws(CallError) -> VariantDictionary in
            try object.directories.existing(plugin).report
        }
        changed
        loading
    }

    private static nonisolated func changing(
        _ name: String, _ list: Directories.List, adding: Bool
    ) -> DeferredMethod<DirectoryObject> {
        DeferredMethod(name, in: ["rule"]) {
            (object: DirectoryObject, invocation: VoidInvocation, rule: String) throws(CallError) in
            try object.directories.change(list, rule, adding: adding) { $0.answer(invocation) }
        }
    }
}
