// org.opencallkit.CallIdentity1: who it is. Read by those who may, never broadcast.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallObject {
    static let identityInterface = Interface<CallObject>(Contract.callIdentity, announcesValues: false) {
        Property(CallProperty.handle, changes: .invalidates) { (object: CallObject) in
            object.call.handle?.wire ?? Struct("", "")
        }
        Property(CallProperty.callerName, changes: .invalidates) { (object: CallObject) in object.call.callerName }
        Property(CallProperty.callerNameSource, changes: .invalidates) { (object: CallObject) in
            object.call.nameSource.rawValue
        }
        Property(CallProperty.contactIdentifier, changes: .invalidates) { (object: CallObject) in object.call.contact }
        Property(CallProperty.networkName, changes: .invalidates) { (object: CallObject) in object.call.names.network }
        Property(CallProperty.divertedBy, changes: .invalidates) { (object: CallObject) in
            object.call.divertedBy?.wire ?? Struct("", "")
        }
        Property(CallProperty.transferRequest, changes: .invalidates) { (object: CallObject) in
            object.call.transferRequest?.wire ?? Struct("", "")
        }
        Property(CallProperty.verification, changes: .invalidates) { (object: CallObject) in
            object.call.verification?.rawValue ?? ""
        }
        Property(CallProperty.image, changes: .invalidates) { (object: CallObject) in object.call.image }
    }
}
