// org.opencallkit.Favorites1, which callkitd forwards.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class FavoritesObject {
    static let path = ObjectPath.favorites
    static let changed = VoidSignal(Contract.favorites, "Changed")

    private unowned let server: StoreServer
    private var favorites: Favorites { server.favorites }

    init(_ server: StoreServer) { self.server = server }

    static let interface = Interface<FavoritesObject>(Contract.favorites) {
        DeferredMethod(StoreMember.Favorites.list) {
            (object: FavoritesObject, invocation: Invocation<[VariantDictionary]>) in
            object.favorites.all { $0.map { object.server.named($0).wires }.answer(invocation) }
        }
        DeferredMethod(StoreMember.Favorites.add) {
            (
                object: FavoritesObject, invocation: Invocation<Int64>, handle: Handle.Wire, name: String,
                provider: String
            ) throws(CallError) in
            let wanted = Contract.provider(named: provider)
            guard provider.isEmpty || wanted != nil else {
                throw CallError(
                    .invalidArguments,
                    "provider is \"\(provider.excerpt)\", expected the id or the path of a provider, or nothing")
            }
            let handle = try Handle(wire: handle)
            // A number that could not be called is refused now.
            _ = try DialString(typed: handle)
            object.favorites.add(handle, name, wanted?.rawValue ?? "") { $0.answer(invocation) }
        }
        DeferredMethod(StoreMember.Favorites.remove) {
            (object: FavoritesObject, invocation: VoidInvocation, id: Int64) in
            object.favorites.remove(id) { $0.answer(invocation) }
        }
        DeferredMethod(StoreMember.Favorites.move) {
            (object: FavoritesObject, invocation: VoidInvocation, id: Int64, position: UInt32) in
            object.favorites.move(id, to: Int(position)) { $0.answer(invocation) }
        }
        FavoritesObject.changed
    }
}
