// org.opencallkit.Favorites1 on the bus: handed on to the store.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class FavoritesProxy {
    private unowned let store: StoreSupervisor

    init(_ store: StoreSupervisor) { self.store = store }

    static let interface = Interface<FavoritesProxy>(Contract.favorites) {
        ForwardedMethod(StoreMember.Favorites.list, forward)
        ForwardedMethod(StoreMember.Favorites.add, forward)
        ForwardedMethod(StoreMember.Favorites.remove, forward)
        ForwardedMethod(StoreMember.Favorites.move, forward)
        VoidSignal(Contract.favorites, "Changed")
    }

    private static func forward(_ object: FavoritesProxy, _ context: CallContext) throws(CallError) {
        try object.store.forward(context)
    }
}
