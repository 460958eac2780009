// Calls: the calls on the bus, and how they have come to be as they are.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

/// Shows calls on the bus and on the links that observe them.
@LoopActor
final class Calls {
    /// The active call as it was announced last.
    private(set) var activeCall: CallID?
    /// The call that rings aloud, and the one that is suggested to be resumed, likewise.
    private(set) var ringingCall: CallID?
    private(set) var suggestedResume: CallID?
    private let observers = CallObservers()
    private let desktopAgent: DesktopAgentStarter
    let context: HostContext
    unowned let clients: any ClientGate

    init(_ context: HostContext, _ clients: any ClientGate, _ desktopAgent: DesktopAgentStarter) {
        self.context = context
        self.clients = clients
        self.desktopAgent = desktopAgent
    }

    /// The bus is there.
    func serve(on bus: Bus) { desktopAgent.follow(bus) }

    // MARK: what is shown

    /// Shows a new call. Somebody is to show the user one that rings.
    func add(_ call: Call) {
        let object = CallObject(call, of: self)
        context.tree.export(object, at: object.path, CallObject.callInterface, CallObject.identityInterface)
        observers.added(object)
        if call.state == .ringing { desktopAgent.callRings() }
    }

    /// Shows a call as it is now.
    ///
    /// - Parameter inTime: whether the change may be told a little later, if there are many.
    func change(_ call: Call, _ changes: CallChanges, inTime: Bool) {
        guard let object = context.tree.object(at: ObjectPath.call(call.id)) as? CallObject else { return }
        object.note(changes)
        if inTime {
            object.pacer.tellInTime(on: context.clock) { [weak self, weak object] in
                if let object { self?.tell(call, of: object) }
            }
        } else {
            object.pacer.tellNow { tell(call, of: object) }
        }
    }

    private func tell(_ call: Call, of object: CallObject) {
        let changes = object.show(call)
        let names = changes.names(for: .everybody)
        context.tree.propertiesChanged(at: object.path, Contract.call, names)
        context.tree.propertiesChanged(at: object.path, Contract.callIdentity, changes.names(for: .trusted))
        observers.changed(object, names)
    }

    /// A call is not shown any more.
    func remove(_ call: CallID) {
        let path = ObjectPath.call(call)
        context.tree.remove(path)
        observers.removed(path)
    }

    func ended(_ call: CallID, _ reason: EndReason, by origin: Origin) {
        context.tree.emit(
            CallSystemObject.callEnded, from: .system, ObjectPath.call(call), reason.rawValue, origin.rawValue)
    }

    func suggestResume(_ call: CallID) {
        context.tree.emit(CallSystemObject.resumeSuggested, from: .system, ObjectPath.call(call))
    }

    func announce(activeCall: CallID?) {
        self.activeCall = activeCall
        announce("ActiveCall")
    }

    func announce(ringingCall: CallID?) {
        self.ringingCall = ringingCall
        announce("Ringing")
    }

    func announce(suggestedResume: CallID?) {
        self.suggestedResume = suggestedResume
        announce("SuggestedResume")
    }

    private func announce(_ property: String) {
        context.tree.propertiesChanged(at: .system, Contract.callSystem, [property])
    }

    /// Begins or ends to tell a link of calls. Those that exist are announced at once, each as `InterfacesAdded`, the oldest
    /// first.
    func observe(_ observes: Bool, on channel: any MessageChannel) {
        observers.set(observes, for: channel) {
            context.tree.paths.compactMap { context.tree.object(at: $0) as? CallObject }
                .sorted { ($0.call.startedAt, $0.id.low) < ($1.call.startedAt, $1.id.low) }
        }
    }

    // MARK: what is explained

    /// Explains that a call whose object is gone is an unknown call; any other path is an unknown object.
    func explainMissing(_ path: String) -> DBusError? {
        guard let call = Contract.call(at: path), context.core.knew(call) else { return nil }
        return CallError(.unknownCall, "no call \(call), it ended a while ago").dbusError
    }

    /// The one text of a cause.
    func text(of cause: Cause) -> String {
        cause.text(client: { clients.text(of: $0, at: cause.at) }, transaction: { context.identifiers.text(of: $0) })
    }

    /// What Explain returns of a call, oldest cause first.
    func explanation(of call: CallID) -> [VariantDictionary] {
        context.core.causes(of: call).map { cause in
            var wire: VariantDictionary = [
                "at": cause.at.date.inVariant, "state": .string(cause.state.rawValue),
                "event": .string(cause.event.word),
                "by": .string(cause.origin.rawValue), "text": .string(text(of: cause)),
            ]
            wire.set("rule", cause.rule?.rawValue)
            wire.set("call", cause.newcomer.map(ObjectPath.call))
            wire.set("transaction", cause.transaction.map { context.identifiers.text(of: $0) })
            wire.set("program", cause.client.flatMap { clients.program(of: $0, at: cause.at) })
            wire.set("provider", cause.provider.map(ObjectPath.provider))
            wire.set("end-reason", cause.endReason?.rawValue)
            wire.set("detail", cause.event.detail)
            return wire
        }
    }

    /// Logs what calls there are and how they have come to be as they are.
    func logStates(_ effects: Effects) {
        guard context.log.logLevel <= .info else { return }
        for effect in effects.tell {
            switch effect {
            case .callAdded(let call): logState(of: call.id)
            case .callChanged(let call, let changes) where changes.contains(.state): logState(of: call.id)
            default: break
            }
        }
    }

    private func logState(of call: CallID) {
        guard let cause = context.core.latestCause(of: call) else { return }
        context.log.info("call \(call) \(self.text(of: cause))")
    }
}
