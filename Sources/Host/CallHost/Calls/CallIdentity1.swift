// org.opencallkit.CallIdentity1: who it is. Read by those who may, never broadcast.

import CallModel
import CallWire
import DBus

extension CallObject {
    static let identityInterface = Interface<CallObject>(Contract.callIdentity, announcesValues: false) {
        PublishedCall.properties(for: .trusted) { (object: CallObject) in object.published }
    }
}
