// org.opencallkit.CallSystem1 on the root object: decode, ask the core, encode. No decisions here.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class CallSystemObject {
    private unowned let context: HostContext
    private let reader: RequestReader
    private unowned let clients: any ClientGate
    private unowned let calls: Calls
    private unowned let providers: Providers
    private unowned let screening: Screeners
    private unowned let audio: Audio
    private unowned let doNotDisturb: DoNotDisturb
    private unowned let earlyBus: EarlyBus
    private unowned let store: Store
    private unowned let plugins: any PluginBook
    private let health: @LoopActor () -> VariantDictionary

    /// - Parameter health: The value of the property `Health`.
    init(
        _ context: HostContext, _ reader: RequestReader, _ clients: any ClientGate, _ calls: Calls,
        _ providers: Providers,
        _ screening: Screeners, _ audio: Audio, _ doNotDisturb: DoNotDisturb, _ earlyBus: EarlyBus, _ store: Store,
        _ plugins: any PluginBook, health: @escaping @LoopActor () -> VariantDictionary
    ) {
        self.context = context
        self.reader = reader
        self.clients = clients
        self.calls = calls
        self.providers = providers
        self.screening = screening
        self.audio = audio
        self.doNotDisturb = doNotDisturb
        self.earlyBus = earlyBus
        self.store = store
        self.plugins = plugins
        self.health = health
    }

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
            let request = try system.reader.request(entries, options, invocation.context)
            system.clients.noteUnknownKeys(in: entries, options: options, from: invocation.context)
            system.submit(request) { reply in
                switch reply {
                case .performed(let id, let calls):
                    invocation.reply(system.context.identifiers.text(of: id), calls.map(ObjectPath.call))
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
            let given = Set(
                entries.compactMap { try? $0.fields.1.value("uuid", as: String.self).flatMap { CallID($0) } })
            let request = try system.reader.request(entries, options, invocation.context)
            system.clients.noteUnknownKeys(in: entries, options: options, from: invocation.context)
            system.store.prefer(request) { request in
                let context = system.context
                switch context.core.plan(request, at: context.clock.now) {
                case .success(let plan):
                    invocation.reply(
                        plan.map { $0.wire(given: given, postDial: request.postDial(of: $0.performed.action)) })
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
            var start = StartRequest(try DialString(parsing: handle))
            start.handle = try system.context.core.callable(start.handle)
            let request = Request([.start(system.context.newCallID(), start)], by: .client(""))
            system.store.prefer(request) { request in
                guard case .start(_, let start)? = request.actions.first else { return }
                system.store.normalized(start.handle) { normalized in
                    invocation.reply(system.providers.candidates(for: start, normalized))
                }
            }
        }
        DeferredMethod("EndCalls", in: ["states"], out: []) {
            (system: CallSystemObject, invocation: VoidInvocation, states: [String]) in
            try system.endCalls(in: states, invocation)
        }
        Method("SilenceRinging") { (system: CallSystemObject, _) in system.context.submit(.ringingSilenced) }
        Method("SetQuiet", in: ["source", "on"], out: []) {
            (system: CallSystemObject, context, source: String, isOn: Bool) in
            try system.doNotDisturb.setQuiet(source, isOn, from: context)
        }
        Method(ProviderMember.System.registerProvider, in: ["delegate", "configuration"], out: ["provider"]) {
            (system: CallSystemObject, context, delegate: ObjectPath, configuration: VariantDictionary) -> ObjectPath in
            try system.providers.register(delegate, configuration, from: context)
        }
        Method("RegisterScreener", in: ["path", "options"], out: []) {
            (system: CallSystemObject, context, path: ObjectPath, options: VariantDictionary) in
            try system.screening.register(path, options, from: context)
        }
        Method("UnregisterScreener", in: ["path"], out: []) { (system: CallSystemObject, context, path: ObjectPath) in
            try system.screening.unregister(path, from: context)
        }
        Method("RegisterAudioAgent", in: ["path", "options"], out: []) {
            (system: CallSystemObject, context, path: ObjectPath, options: VariantDictionary) in
            try system.audio.register(path, options, from: context)
        }
        Method("UnregisterAudioAgent", in: ["path"], out: []) { (system: CallSystemObject, context, path: ObjectPath) in
            try system.audio.unregister(path, from: context)
        }
        DeferredMethod("ForgetPlugin", in: ["plugin"], out: ["found"]) {
            (system: CallSystemObject, invocation: Invocation<Bool>, id: String) in
            try system.plugins.forget(id) { result in
                switch result {
                case .success(let found): invocation.reply(found)
                case .failure(let error): invocation.fail(CallError.folderStays(of: id, error))
                }
            }
        }
        Property("Version", changes: .constant) { (_: CallSystemObject) in OpenCallKitVersion.text }
        Property("ActiveCall") { (system: CallSystemObject) in
            system.calls.activeCall.map(ObjectPath.call) ?? .root
        }
        Property("Ringing") { (system: CallSystemObject) in system.calls.ringingCall.map(ObjectPath.call) ?? .root }
        Property("SuggestedResume") { (system: CallSystemObject) in
            system.calls.suggestedResume.map(ObjectPath.call) ?? .root
        }
        Property("Region", changes: .constant) { (system: CallSystemObject) in system.context.configuration.numberRegion
        }
        Property("Features", changes: .constant) { (_: CallSystemObject) in [String]() }
        Property("Health", changes: .silent) { (system: CallSystemObject) in system.health() }
        Property("QuietSources") { (system: CallSystemObject) in system.doNotDisturb.sourceNames }
        Property(
            "DefaultProviders",
            get: { (system: CallSystemObject) in system.providers.choices.defaults },
            set: { (system: CallSystemObject, _, value: [String: String]) in
                try system.providers.choices.setDefaults(value)
            })
        Property(
            "EmergencyProviders", get: { (system: CallSystemObject) in system.providers.choices.emergency },
            set: { (system: CallSystemObject, _, value: [String]) in try system.providers.choices.setEmergency(value) })
        Property("Deadlines", changes: .constant) { (system: CallSystemObject) in
            Dictionary(
                uniqueKeysWithValues: DeadlineKind.allCases.map { ($0.rawValue, system.context.core.deadlines[$0]) })
        }
        Property("Policy", changes: .constant) { (system: CallSystemObject) in system.context.core.policy.name }
        Property(
            "DoNotDisturb", get: { (system: CallSystemObject) in system.doNotDisturb.isOnNow },
            set: { (system: CallSystemObject, _, value: Bool) in
                try system.doNotDisturb.turn(on: value)
            })
        Property(
            "DoNotDisturbRules", get: { (system: CallSystemObject) in system.doNotDisturb.settings.wire },
            set: { (system: CallSystemObject, context, value: VariantDictionary) in
                try system.doNotDisturb.update(wire: value, from: context)
            })
        CallSystemObject.callEnded
        CallSystemObject.callFiltered
        CallSystemObject.resumeSuggested
        CallSystemObject.anomaly
    }

    private func submit(_ request: Request, then: @escaping @LoopActor (Reply) -> Void) {
        if earlyBus.keep(request, answer: then) { return }
        store.prefer(request) { [context] in context.ask($0, then: then) }
    }

    /// Starts a call as `callctl start` and StartCall do: `text` is whom to call, as people write it.
    private func startCall(
        _ text: String, _ options: VariantDictionary, _ invocation: Invocation<ObjectPath>
    ) throws(CallError) {
        var arguments = options
        arguments.set("handle", text)
        submit(try reader.startRequest(arguments, options, invocation.context)) { $0.answer(invocation) }
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
        let calls = context.core.calls.values.filter { states.contains($0.state) }
            .sorted { ($0.startedAt, $0.id.low) < ($1.startedAt, $1.id.low) }
        var request = try clients.request([], from: invocation.context)
        var waiting = calls.count
        var failure: CallError?
        if calls.isEmpty { invocation.reply() }
        for call in calls {
            request.actions = [.end(call.id, reason: "")]
            context.ask(request) { reply in
                if case .failed(let error) = reply, failure == nil { failure = error }
                waiting -= 1
                guard waiting == 0 else { return }
                if let failure { invocation.fail(failure) } else { invocation.reply() }
            }
        }
    }
}

extension Request {
    /// What is dialed after the number of a start; nil for nothing.
    fileprivate func postDial(of action: CallAction) -> String? {
        for case .start(action.call, let start) in actions where action.kind == .start && !start.postDial.isEmpty {
            return start.postDial
        }
        return nil
    }
}

extension PlannedAction {
    /// One row of a plan. A call that would be started has a path only if its UUID was `given`.
    fileprivate func wire(given: Set<CallID>, postDial: String?) -> VariantDictionary {
        let action = performed.action
        let isNameless = action.kind == .start && !given.contains(action.call)
        var wire: VariantDictionary = ["kind": .string(action.kind.rawValue), "rule": .uint32(performed.rule.number)]
        wire.set("call", isNameless ? .root : ObjectPath.call(action.call))
        wire.set("provider", ObjectPath.provider(performed.provider))
        wire.set("args", PerformWire.details(of: action))
        wire.set("post-dial", postDial)
        wire.set("releases-audio", releasesAudio.map(ObjectPath.provider))
        wire.set("grants-audio", grantsAudio.map(ObjectPath.provider))
        return wire
    }
}
