// A call on the bus: two interfaces on one object, one that anybody may see and one that says who it is.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// Shows a call as it was announced last.
@LoopActor
final class CallObject {
    private(set) var call: Call
    unowned let host: CallSystemHost

    init(_ call: Call, host: CallSystemHost) {
        self.call = call
        self.host = host
    }

    var id: CallID { call.id }
    var path: ObjectPath { Self.path(of: id) }

    nonisolated static func path(of call: CallID) -> ObjectPath {
        ObjectPath.calls.appending(call.pathElement) ?? .root
    }

    /// Takes the call's new values over and returns the names of the properties that change with them.
    func take(_ call: Call) -> (call: [String], identity: [String]) {
        let old = self.call
        self.call = call
        func changed(_ properties: [ChangingProperty]) -> [String] {
            properties.filter { $0.differs(old, call) }.map(\.name)
        }
        return (changed(Self.callProperties), changed(Self.identityProperties))
    }

    private typealias ChangingProperty = (name: String, differs: @Sendable (Call, Call) -> Bool)

    /// The properties of Call1 that change.
    private static let callProperties: [ChangingProperty] = [
        ("State", { $0.state != $1.state }), ("OnHold", { $0.isOnHold != $1.isOnHold }),
        ("HasEnded", { $0.hasEnded != $1.hasEnded }), ("Group", { $0.group != $1.group }),
        ("HeldBy", { $0.heldBy != $1.heldBy }), ("RemoteHeld", { $0.remoteHeld != $1.remoteHeld }),
        ("Muted", { $0.muted != $1.muted }), ("Video", { $0.video != $1.video }),
        ("StartedAt", { $0.startedAt != $1.startedAt }), ("ConnectedAt", { $0.connectedAt != $1.connectedAt }),
        ("HasConnected", { $0.hasConnected != $1.hasConnected }), ("EndedAt", { $0.endedAt != $1.endedAt }),
        ("EndReason", { $0.endReason != $1.endReason }), ("EndedBy", { $0.endedBy != $1.endedBy }),
        ("Can", { $0.can != $1.can }), ("Translation", { $0.translation != $1.translation }),
        ("Translating", { ($0.translation == nil) != ($1.translation == nil) }),
        ("AnswerOptions", { $0.answerOptions != $1.answerOptions }), ("RingMode", { $0.ringMode != $1.ringMode }),
    ]

    /// The properties of CallIdentity1.
    private static let identityProperties: [ChangingProperty] = [
        ("Handle", { $0.handle != $1.handle }), ("CallerName", { $0.callerName != $1.callerName }),
        ("CallerNameSource", { $0.nameSource != $1.nameSource }), ("ContactIdentifier", { $0.contact != $1.contact }),
    ]
}

extension CallSystemHost {
    /// Explains that a call whose object is gone is an unknown call; any other path is an unknown object.
    func explainMissing(_ path: String) -> DBusError? {
        guard let call = Contract.call(at: path), machine.knew(call) else { return nil }
        return CallError(.unknownCall, "no call \(call), it ended a while ago").dbusError
    }

    func export(_ call: Call) {
        let object = CallObject(call, host: self)
        tree.export(object, at: object.path, CallObject.callInterface, CallObject.identityInterface)
        observers.added(object)
    }

    func announce(_ call: Call) {
        guard let object = tree.object(at: CallObject.path(of: call.id)) as? CallObject else { return }
        let changed = object.take(call)
        tree.propertiesChanged(at: object.path, Contract.call, changed.call)
        tree.propertiesChanged(at: object.path, Contract.callIdentity, changed.identity)
        observers.changed(object, changed.call)
    }

    func withdraw(_ call: CallID) {
        let path = CallObject.path(of: call)
        tree.remove(path)
        observers.removed(path)
    }
}
