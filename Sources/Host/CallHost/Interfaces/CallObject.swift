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
    let pacer = ChangePacer()

    init(_ call: Call, host: CallSystemHost) {
        self.call = call
        self.host = host
    }

    var id: CallID { call.id }
    private(set) lazy var path = ObjectPath.call(id)

    /// Takes the call's new values over and returns the names of the properties that change with them.
    func take(_ call: Call) -> (call: [String], identity: [String]) {
        let old = CallObject(self.call, host: host)
        self.call = call
        return (
            Self.callInterface.differences(between: old, and: self),
            Self.identityInterface.differences(between: old, and: self)
        )
    }
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

    /// - Parameter inTime: whether the change may be told a little later, if there are many.
    func announce(_ call: Call, inTime: Bool) {
        guard let object = tree.object(at: ObjectPath.call(call.id)) as? CallObject else { return }
        if inTime {
            object.pacer.tellInTime(on: clock) { [weak self, weak object] in
                if let object { self?.tell(call, of: object) }
            }
        } else {
            object.pacer.tellNow { tell(call, of: object) }
        }
    }

    private func tell(_ call: Call, of object: CallObject) {
        let changed = object.take(call)
        tree.propertiesChanged(at: object.path, Contract.call, changed.call)
        tree.propertiesChanged(at: object.path, Contract.callIdentity, changed.identity)
        observers.changed(object, changed.call)
    }

    func withdraw(_ call: CallID) {
        let path = ObjectPath.call(call)
        tree.remove(path)
        observers.removed(path)
    }
}
