// org.opencallkit.Directory1, Rules1 and Favorites1 on the bus: handed on to the store.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class DirectoryProxy {
    private unowned let store: StoreSupervisor

    init(_ store: StoreSupervisor) { self.store = store }

    static let interface = Interface<DirectoryProxy>(Contract.directory) {
        ForwardedMethod(StoreMember.Directory.identify, forward)
        ForwardedMethod(StoreMember.Directory.findPeople, forward)
        ForwardedMethod(StoreMember.Directory.contacts, forward)
        Signal<String>(Contract.directory, "Changed", args: ["source"])
    }

    static let rules = Interface<DirectoryProxy>(Contract.rules) {
        ForwardedMethod(StoreMember.Rules.block, forward)
        ForwardedMethod(StoreMember.Rules.unblock, forward)
        ForwardedMethod(StoreMember.Rules.blocked, forward)
        ForwardedMethod(StoreMember.Rules.allow, forward)
        ForwardedMethod(StoreMember.Rules.disallow, forward)
        ForwardedMethod(StoreMember.Rules.allowed, forward)
        ForwardedMethod(StoreMember.Rules.readRule, forward)
        VoidSignal(Contract.rules, "Changed")
    }

    private static func forward(_ object: DirectoryProxy, _ context: CallContext) throws(CallError) {
        try object.store.forward(context)
    }
}

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
