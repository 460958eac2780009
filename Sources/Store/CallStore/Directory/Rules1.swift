// org.opencallkit.Rules1, which callkitd forwards.

internal import CallDirectory
import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class RulesObject {
    static let path = ObjectPath.directory
    static let changed = VoidSignal(Contract.rules, "Changed")

    private let directories: Directories

    init(_ directories: Directories) { self.directories = directories }

    static let interface = Interface<RulesObject>(Contract.rules) {
        adding(StoreMember.Rules.block, \.blocked)
        removing(StoreMember.Rules.unblock, \.blocked)
        Method(StoreMember.Rules.blocked) { (object: RulesObject, _) in
            object.directories.rules.blocked.all.map(\.description)
        }
        adding(StoreMember.Rules.allow, \.allowed)
        removing(StoreMember.Rules.disallow, \.allowed)
        Method(StoreMember.Rules.allowed) { (object: RulesObject, _) in
            object.directories.rules.allowed.all.map(\.description)
        }
        changed
    }

    private static nonisolated func adding(
        _ declared: MethodSignature, _ list: Directories.List
    ) -> DeferredMethod<RulesObject> {
        DeferredMethod(declared) {
            (object: RulesObject, invocation: VoidInvocation, rule: String) throws(CallError) in
            try object.directories.change(list, rule, adding: true) { $0.map { _ in }.answer(invocation) }
        }
    }

    private static nonisolated func removing(
        _ declared: MethodSignature, _ list: Directories.List
    ) -> DeferredMethod<RulesObject> {
        DeferredMethod(declared) {
            (object: RulesObject, invocation: Invocation<UInt32>, rule: String) throws(CallError) in
            try object.directories.change(list, rule, adding: false) { $0.map { $0 ? 1 : 0 }.answer(invocation) }
        }
    }
}
