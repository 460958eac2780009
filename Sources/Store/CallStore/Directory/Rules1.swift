// org.opencallkit.Rules1, which callkitd forwards.

internal import CallDirectory
import CallModel
import CallWire
import DBus
internal import Dispatch
import EventLoop

@LoopActor
final class RulesObject {
    static let path = ObjectPath.directory
    static let changed = VoidSignal(Contract.rules, "Changed")

    private let directories: Directories
    private let queue = DispatchQueue(label: "org.opencallkit.rules")

    init(_ directories: Directories) { self.directories = directories }

    static let interface = Interface<RulesObject>(Contract.rules) {
        adding(StoreMember.Rules.block, \.blocked)
        removing(StoreMember.Rules.unblock, \.blocked)
        DeferredMethod(StoreMember.Rules.blocked) { (object: RulesObject, invocation: Invocation<[String]>) in
            try object.list(object.directories.rules.blocked, invocation)
        }
        adding(StoreMember.Rules.allow, \.allowed)
        removing(StoreMember.Rules.disallow, \.allowed)
        DeferredMethod(StoreMember.Rules.allowed) { (object: RulesObject, invocation: Invocation<[String]>) in
            try object.list(object.directories.rules.allowed, invocation)
        }
        Method(StoreMember.Rules.readRule) {
            (object: RulesObject, _, rule: String) throws(CallError) -> VariantDictionary in
            try object.directories.describe(rule: rule)
        }
        changed
    }

    /// Answers with the text of each rule, of which there may be a hundred thousand: off the loop, which has callers to look up.
    private func list(_ rules: HandleRules, _ invocation: Invocation<[String]>) throws(DBusError) {
        do throws(CallError) { try directories.requireRules() } catch { throw error.dbusError }
        let (answer, change) = (try invocation.emptyAnswer(), directories.ruleChange)
        queue.async {
            let result = Result { () throws(DBusError) in try answer.append(rules.texts) }
            Loop.shared.post { self.send(answer, result, change, invocation) }
        }
    }

    private func send(
        _ answer: Message, _ result: Result<Void, DBusError>, _ change: Int, _ invocation: Invocation<[String]>
    ) {
        if case .failure(let error) = result { return invocation.fail(error) }
        invocation.send(answer)
        // A change that was told before this answer is not in it.
        if change != directories.ruleChange { directories.onChange(Directories.user) }
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
