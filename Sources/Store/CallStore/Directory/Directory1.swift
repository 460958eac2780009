// org.opencallkit.Directory1, which callkitd forwards.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class DirectoryObject {
    static let path = ObjectPath.directory
    static let changed = Signal<String>(Contract.directory, "Changed", args: ["source"])

    private unowned let server: StoreServer

    init(_ server: StoreServer) { self.server = server }

    static let interface = Interface<DirectoryObject>(Contract.directory) {
        Method(StoreMember.Directory.identify) {
            (object: DirectoryObject, _, handle: String) throws(CallError) -> VariantDictionary in
            try object.server.describe(handle)
        }
        DeferredMethod(StoreMember.Directory.findPeople) {
            (object: DirectoryObject, invocation: Invocation<[VariantDictionary]>, name: String) throws(CallError) in
            try object.server.findPeople(name) { $0.answer(invocation) }
        }
        Method(StoreMember.Directory.contacts) { (object: DirectoryObject, _) -> VariantDictionary in
            object.server.addressBook.report
        }
        changed
    }
}
