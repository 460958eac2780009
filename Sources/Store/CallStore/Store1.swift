// org.opencallkit.Store1: the methods that callkitd calls.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class StoreObject {
    static let path = ObjectPath.store

    private unowned let server: StoreServer

    init(_ server: StoreServer) { self.server = server }

    static let interface = Interface<StoreObject>(Contract.store) {
        Method(PrivateMember.Store.lookUp, in: ["handle-type", "handle"], out: ["facts"]) {
            (object: StoreObject, _, type: String, value: String) throws(CallError) -> VariantDictionary in
            let isWithheld = type.isEmpty && value.isEmpty
            let handle = isWithheld ? nil : try Handle(wire: Struct(type, value))
            return object.server.lookUp(handle).wire
        }
        DeferredMethod(PrivateMember.Store.record, in: ["row"]) {
            (object: StoreObject, invocation: VoidInvocation, row: VariantDictionary) throws(CallError) in
            object.server.recents.record(object.server.named(try CallRecord(wire: row))) { invocation.reply() }
        }
        DeferredMethod(PrivateMember.Store.recent, in: ["id"], out: ["row"]) {
            (object: StoreObject, invocation: Invocation<VariantDictionary>, id: Int64) in
            object.server.recents.row(id) { $0.map(\.wire).answer(invocation) }
        }
        Method(PrivateMember.Store.setExtensions, in: ["worker", "deadline", "extensions"]) {
            (object: StoreObject, _, worker: String, deadline: UInt32, extensions: [Struct<String, String, String>]) in
            let places = extensions.map { ($0.fields.0, (library: $0.fields.1, resourceFolder: $0.fields.2)) }
            object.server.directories.set(
                worker: worker, deadline: Int(deadline), Dictionary(places) { first, _ in first })
        }
    }
}
