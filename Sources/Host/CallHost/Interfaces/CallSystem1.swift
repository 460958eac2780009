// org.opencallkit.CallSystem1 on the root object: decode, ask the core, encode. No decisions here.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class CallSystemObject {
    unowned let host: CallSystemHost
    /// The active call as it was announced last.
    var activeCall: CallID?
    /// The call that rings aloud, and the one that is suggested to be resumed, likewise.
    var ringingCall: CallID?
    var suggestedResume: CallID?

    init(host: CallSystemHost) { self.host = host }

    static let callEnded = Signal<ObjectPath, String, String>(
        Contract.callSystem, "CallEnded", args: ["call", "reason", "origin"])
    static let resumeSuggested = Signal<ObjectPath>(Contract.callSystem, "ResumeSuggested", args: ["call"])
    static let callFiltered = Signal<ObjectPath, String, String, Int64>(
        Contract.callSystem, "CallFiltered", args: ["provider", "reason", "by", "row"])
    static let anomaly = Signal<String, ObjectPath, String>(
        Contract.callSystem, "Anomaly", args: ["kind", "object", "text"])

    static let interface = Interface<CallSystemObject>(Contract.callSystem) {
        DeferredMethod(
            ProviderMember.System.requestTransaction, in: ["actions", "options"], out: ["transaction", "calls"]
        ) {
            (
                system: CallSystemObject, invocation: Invocation<String, [ObjectPath]>,
                entries: [TransactionWire.Entry],
                options: VariantDictionary
            ) in
            let request = try system.request(entries, options, invocation.context)
            system.host.noteUnknownKeys(in: entries, options: options, from: invocation.context)
            system.submit(request) { reply in
                switch reply {
                case .performed(let id, let calls):
                    invocation.reply(system.host.identifiers.text(of: id), calls.map(ObjectPath.call))
                case .failed(let error): invocation.fail(error)
                case .done, .call: invocation.reply("", [])
                }
            }
        }
        DeferredMethod("SimulateTransaction", in: ["actions", "options"], out: ["plan"]) {
            (
                system: CallSystemObject, invocation: Invocation<[VariantDictionary]>,
                entries: [TransactionWire.Entry], options: VariantDictionary
            ) in
            let host = system.host
            let given = Set(
                entries.compactMap { try? $0.fields.1.value("uuid", as: String.self).flatMap { CallID($0) } })
            let request = try system.request(entries, options, invocation.context)
            host.noteUnknownKeys(in: entries, options: options, from: invocation.context)
            host.prefer(request) { request in
                switch host.machine.plan(request, at: host.clock.now) {
                case .success(let plan): invocation.reply(plan.map { $0.wire(given: given) })
                case .failure(let error): invocation.fail(error)
                }
            }
        }
        DeferredMethod("StartCall", in: ["handle"], out: ["call"]) {
            (system: CallSystemObject, invocation: Invocation<ObjectPath>, handle: String) in
            try system.startCall(handle, [:], invocation)
        }
        DeferredMethod("StartCallWith", in: ["handle", "options"], out: ["call"]) {
            (system: CallSystemObject, invocation: Invocation<ObjectPath>, handle: String, options: VariantDictionary)
            in
            try system.startCall(handle, options, invocation)
        }
        DeferredMethod("FindProviders", in: ["handle"], out: ["providers"]) {
            (system: CallSystemObject, invocation: Invocation<[VariantDictionary]>, handle: String) in
            let host = system.host
            let dialed = try DialString(parsing: handle)
            var start = StartRequest(dialed.handle)
            start.scheme = dialed.scheme
            let request = Request([.start(host.newCallID(), start)], by: .client(""))
            host.prefer(request) { request in
                guard case .start(_, let start)? = request.actions.first else { return }
                invocation.reply(host.candidates(for: start))
            }
        }
        DeferredMethod("EndCalls", in: ["states"], out: []) {
            (system: CallSystemObject, invocation: VoidInvocation, states: [String]) in
            try system.endCalls(in: states, invocation)
        }
        Method("SilenceRinging") { (system: CallSystemObject, _) in system.host.submit(.ringingSilenced) }
        Method("SetQuiet", in: ["source", "on"], out: []) {
            (system: CallSystemObject, context, source: String, isOn: Bool) in
            try system.host.setQuiet(source, isOn, from: context)
        }
        Method(ProviderMember.System.registerProvider, in: ["delegate", "configuration"], out: ["provider"]) {
            (system: CallSystemObject, context, delegate: ObjectPath, configuration: VariantDictionary) -> ObjectPath in
            try system.host.register(delegate, configuration, from: context)
        }
        Method("RegisterScreener", in: ["path", "options"], out: []) {
            (system: CallSystemObject, context, path: ObjectPath, options: VariantDictionary) in
            try system.host.registerScreener(path, options, from: context)
        }
        Method("UnregisterScreener", in: ["path"], out: []) { (system: CallSystemObject, context, path: ObjectPath) in
            try system.host.unregisterScreener(path, from: context)
        }
        Method("RegisterAudioAgent", in: ["path", "options"], out: []) {
            (system: CallSystemObject, context, path: ObjectPath, options: VariantDictionary) in
            try system.host.registerAudioAgent(path, options, from: context)
        }
        Method("UnregisterAudioAgent", in: ["path"], out: []) { (system: CallSystemObject, context, path: ObjectPath) in
            try system.host.unregisterAudioAgent(path, from: context)
        }
        Property("Version", changes: .constant) { (_: CallSystemObject) in OpenCallKitVersion.text }
        Property("ActiveCall") { (system: CallSystemObject) in
            system.activeCall.map(ObjectPath.call) ?? .root
        }
        Property("Ringing") { (system: CallSystemObject) in system.ringingCall.map(ObjectPath.call) ?? .root }
        Property("SuggestedResume") { (system: CallSystemObject) in
            system.suggestedResume.map(ObjectPath.call) ?? .root
        }
        Property("Features", changes: .constant) { (_: CallSystemObject) in [String]() }
        Property("Health", changes: .silent) { (system: CallSystemObject) in system.host.health }
        Property("QuietSources") { (system: CallSystemObject) in system.host.quietSources.names }
        Property(
            "DefaultProviders",
            get: { (system: CallSystemObject) in system.host.machine.defaultProviders.mapValues(\.rawValue) },
            set: { (system: CallSystemObject, _, value: [String: String]) in
                try system.host.setDefaultProviders(value)
            })
        Property(
            "EmergencyProviders", get: { (system: CallSystemObject) in system.host.markedProviders },
            set: { (system: CallSystemObject, _, value: [String]) in try system.host.setEmergencyProviders(value) })
        Property("Deadlines", changes: .constant) { (system: CallSystemObject) in
            Dictionary(
                uniqueKeysWithValues: DeadlineKind.allCases.map { ($0.rawValue, system.host.machine.deadlines[$0]) })
        }
        Property("Policy", changes: .constant) { (root: CallSystemObject) in root.host.machine.policy.name }
        Property(
            "DoNotDisturb", get: { (system: CallSystemObject) in system.host.isDoNotDisturbOn },
            set: { (system: CallSystemObject, _, value: Bool) in
                try system.host.turnDoNotDisturb(on: value)
            })
        Property(
            "DoNotDisturbRules", get: { (system: CallSystemObject) in system.host.doNotDisturb.wire },
            set: { (system: CallSystemObject, context, value: VariantDictionary) in
                var settings = system.host.doNotDisturb
                try settings.update(wire: value, at: system.host.clock.now.date)
                system.host.noteUnknownKeys(in: value, besides: DoNotDisturbSettings.keys, from: context)
                try system.host.setDoNotDisturb(settings)
            })
        CallSystemObject.callEnded
        CallSystemObject.callFiltered
        CallSystemObject.resumeSuggested
        CallSystemObject.anomaly
    }

    private func submit(_ request: Request, then: @escaping @LoopActor (Reply) -> Void) {
        if host.earlyRequests.keep(request, answer: then) { return }
        host.prefer(request) { [host] in host.submit($0, then: then) }
    }

    /// Starts a call as `callctl start` and StartCall do: `text` is whom to call, as people write it.
    private func startCall(
        _ text: String, _ options: VariantDictionary, _ invocation: Invocation<ObjectPath>
    ) throws(CallError) {
        var arguments = options
        let dialed = try DialString(parsing: text)
        arguments.set("handle", dialed.handle.wire)
        if !dialed.scheme.isEmpty { arguments.set("scheme", dialed.scheme) }
        if !dialed.postDial.isEmpty { arguments.set("post-dial", dialed.postDial) }
        submit(try startRequest(arguments, options, invocation.context)) { $0.answer(invocation) }
    }

    /// The request for one new call, which is answered when that has been started.
    func startRequest(
        _ arguments: VariantDictionary, _ options: VariantDictionary, _ context: CallContext
    ) throws(CallError) -> Request {
        var request = try request([TransactionWire.Entry(ActionKind.start.rawValue, arguments)], options, context)
        request.replyMode = .performed
        let known = TransactionWire.keys(of: ActionKind.start.rawValue).union(RequestOptions.keys)
        host.noteUnknownKeys(in: arguments, besides: known, from: context)
        return request
    }

    private func request(
        _ entries: [TransactionWire.Entry], _ options: VariantDictionary, _ context: CallContext
    ) throws(CallError) -> Request {
        let options = try RequestOptions(wire: options)
        let actions = try TransactionWire.actions(from: entries, newCall: { host.newCallID() })
        var request = try host.request(actions, from: context)
        request.conflict = options.conflict
        request.replyMode = options.replyMode
        request.timeout = options.timeout
        return try host.permitted(request, context)
    }

    private func endCalls(in words: [String], _ invocation: VoidInvocation) throws(CallError) {
        var states: Set<CallState> = []
        for word in words {
            guard let state = CallState(rawValue: word) else {
                let known = CallState.allCases.map(\.rawValue).joined(separator: ", ")
                throw CallError(
                    .invalidArguments, "\"\(word.displayable)\" is not a valid state, expected one of \(known)")
            }
            states.insert(state)
        }
        states.remove(.ended)
        let calls = host.machine.calls.values.filter { states.contains($0.state) }
            .sorted { ($0.startedAt, $0.id.low) < ($1.startedAt, $1.id.low) }
        var request = try host.request([], from: invocation.context)
        var waiting = calls.count
        var failure: CallError?
        if calls.isEmpty { invocation.reply() }
        for call in calls {
            request.actions = [.end(call.id, reason: "")]
            host.submit(request) { reply in
                if case .failed(let error) = reply, failure == nil { failure = error }
                waiting -= 1
                guard waiting == 0 else { return }
                if let failure { invocation.fail(failure) } else { invocation.reply() }
            }
        }
    }
}

extension PlannedAction {
    /// One row of a plan. A call that would be started has a path only if its UUID was `given`.
    fileprivate func wire(given: Set<CallID>) -> VariantDictionary {
        let action = performed.action
        let isNameless = action.kind == .start && !given.contains(action.call)
        var wire: VariantDictionary = ["kind": .string(action.kind.rawValue), "rule": .uint32(performed.rule.number)]
        wire.set("call", isNameless ? .root : ObjectPath.call(action.call))
        wire.set("provider", ObjectPath.provider(performed.provider))
        wire.set("args", PerformWire.details(of: action))
        wire.set("releases-audio", releasesAudio.map(ObjectPath.provider))
        wire.set("grants-audio", grantsAudio.map(ObjectPath.provider))
        return wire
    }
}
