// A call on the bus: two interfaces on one object, one that anybody may see and one that says who it is.

import CallCore
import CallModel
import DBus
import EventLoop
import ProviderLink

/// Reads one call of the machine; holds no state of its own.
@LoopActor
final class CallObject {
    let id: CallID
    unowned let host: CallSystemHost

    init(_ id: CallID, host: CallSystemHost) {
        self.id = id
        self.host = host
    }

    /// The call as it is. It outlives the machine's by the moment between removal and withdrawal at most.
    var call: Call? { host.machine.calls[id] }

    nonisolated static func path(of call: CallID) -> ObjectPath {
        ObjectPath.calls.appending(call.pathElement) ?? .root
    }
}

extension CallSystemHost {
    /// A call whose object is gone is an unknown call; a path that never was one is an unknown object.
    func explainMissing(_ path: String) -> DBusError? {
        guard let call = Contract.call(at: path), machine.knew(call) else { return nil }
        return CallError(.unknownCall, "no call \(call), it ended a while ago").dbusError
    }

    func export(_ call: CallID) {
        let object = CallObject(call, host: self)
        tree.export(object, at: CallObject.path(of: call), CallObject.callInterface, CallObject.identityInterface)
    }

    func announce(_ call: CallID, _ changes: CallChanges) {
        let path = CallObject.path(of: call)
        let names = changes.propertyNames
        if !names.isEmpty { tree.propertiesChanged(at: path, Contract.call, names) }
        if changes.contains(.identity) {
            tree.propertiesChanged(
                at: path, Contract.callIdentity,
                ["Handle", "CallerName", "CallerNameSource", "ContactIdentifier"])
        }
    }
}

extension CallChanges {
    private static let names: [(CallChanges, [String])] = [
        (.state, ["State", "OnHold", "HasEnded"]), (.group, ["Group"]), (.heldBy, ["HeldBy"]),
        (.remoteHeld, ["RemoteHeld"]), (.muted, ["Muted"]), (.video, ["Video"]), (.startedAt, ["StartedAt"]),
        (.connectedAt, ["ConnectedAt", "HasConnected"]), (.ended, ["EndedAt", "EndReason", "EndedBy"]),
        (.can, ["Can"]), (.answerOptions, ["AnswerOptions"]), (.ringMode, ["RingMode"]),
    ]

    /// The properties of Call1 that these changes are about.
    var propertyNames: [String] {
        var names: [String] = []
        for (change, properties) in Self.names where contains(change) { names += properties }
        return names
    }
}
