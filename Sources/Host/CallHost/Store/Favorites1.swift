// org.opencallkit.Favorites1 on the bus: handed on to the store.

import CallModel
import DBus
import EventLoop

@LoopActor
final class FavoritesProxy {
    private unowned let store: StoreSupervisor

    init(_ store: StoreSupervisor) { self.store = store }

    static let interface = Interface<FavoritesProxy>(Contract.favorites) {
        ForwardedMethod("List", out: ["favorites": "aa{sv}"], forward)
        ForwardedMethod("Add", in: ["handle": "(ss)", "name": "s", "provider": "s"], out: ["id": "x"], forward)
        ForwardedMethod("Remove", in: ["id": "x"], forward)
        ForwardedMethod("Move", in: ["id": "x", "position": "u"], forward)
        VoidSignal(Contract.favorites, "Changed")
    }

    private static func forward(_ object: FavoritesProxy, _ context: CallContext) throws(CallError) {
        try object.store.forward(context)
    }
}
