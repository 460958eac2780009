// A call on the bus: two interfaces on one object, one that anybody may see and one that says who it is.

import CallCore
import CallModel
import DBus
import EventLoop
import CallWire

/// Reads one call of the machine; holds no state of its own, unless it is a copy for an announcement.
@LoopActor
final class CallObject {
    let id: CallID
    unowned let host: CallSystemHost
    private let copy: Call?

    init(_ id: CallID, host: CallSystemHost, copy: Call? = nil) {
        self.id = id
        self.host = host
        self.copy = copy
    }

    /// The call as it is, or as it was when the copy was made.
    var call: Call? { copy ?? host.machine.calls[id] }

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
        let path = CallObject.path(of: call)
        tree.export(
            CallObject(call, host: self), at: path, CallObject.callInterface, CallObject.identityInterface,
            announcing: false)
    }

    func announceAdded(_ call: Call) {
        let copy = CallObject(call.id, host: self, copy: call)
        tree.announceLater { [tree] in
            let path = CallObject.path(of: copy.id)
            tree.announceAdded(copy, at: path, CallObject.callInterface, CallObject.identityInterface)
        }
    }

    func announce(_ call: Call, _ changes: CallChanges) {
        let copy = CallObject(call.id, host: self, copy: call)
        tree.announceLater { [tree] in
            let path = CallObject.path(of: copy.id)
            let names = changes.propertyNames
            if !names.isEmpty { tree.propertiesChanged(of: copy, at: path, CallObject.callInterface, names) }
            if changes.contains(.identity) {
                tree.propertiesChanged(
                    of: copy, at: path, CallObject.identityInterface,
                    ["Handle", "CallerName", "CallerNameSource", "ContactIdentifier"])
            }
        }
    }

    func withdraw(_ call: CallID) {
        let path = CallObject.path(of: call)
        let interfaces = tree.remove(path, announcing: false)
        tree.announceLater { [tree] in tree.announceRemoved(path, interfaces) }
    }
}

extension CallChanges {
    private static let names: [(CallChanges, [String])] = [
        (.state, ["State", "OnHold", "HasEnded"]), (.group, ["Group"]), (.heldBy, ["HeldBy"]),
        (.remoteHeld, ["RemoteHeld"]), (.muted, ["Muted"]), (.video, ["Video"]), (.startedAt, ["StartedAt"]),
        (.connectedAt, ["ConnectedAt", "HasConnected"]), (.ended, ["EndedAt", "EndReason", "EndedBy"]),
        (.can, ["Can"]), (.translation, ["Translating", "Translation"]), (.answerOptions, ["AnswerOptions"]),
        (.ringMode, ["RingMode"]),
    ]

    /// The properties of Call1 that these changes are about.
    var propertyNames: [String] {
        var names: [String] = []
        for (change, properties) in Self.names where contains(change) { names += properties }
        return names
    }
}
