// org.opencallkit.CallIdentity1: who it is. Read by those who may, never broadcast.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallObject {
    static let identityInterface = Interface<CallObject>(Contract.callIdentity, announcesValues: false) {
        Property("Handle", changes: .invalidates) { (object: CallObject) in
            object.call.handle?.wire ?? Struct("", "")
        }
        Property("CallerName", changes: .invalidates) { (object: CallObject) in object.call.callerName }
        Property("CallerNameSource", changes: .invalidates) { (object: CallObject) in
            object.call.nameSource.rawValue
        }
        Property("ContactIdentifier", changes: .invalidates) { (object: CallObject) in object.call.contact }
        Property("NetworkName", changes: .invalidates) { (object: CallObject) in object.call.names.network }
        Property("DivertedBy", changes: .invalidates) { (object: CallObject) in
            object.call.divertedBy?.wire ?? Struct("", "")
        }
        Property("TransferRequest", changes: .invalidates) { (object: CallObject) in
            object.call.transferRequest?.wire ?? Struct("", "")
        }
        Property("Verification", changes: .invalidates) { (object: CallObject) in
            object.call.verification?.rawValue ?? ""
        }
        Property("Image", changes: .invalidates) { (object: CallObject) in object.call.image }
    }
}
