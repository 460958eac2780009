// org.opencallkit.Favorites1, which callkitd forwards.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class FavoritesObject {
    static let path = ContractPath.favorites
    static let changed = VoidSignal(Contract.favorites, "Changed")

    private let favorites: Favorites

    private unowned let server: StoreServer

    init(_ favorites: Favorites, _ server: StoreServer) {
        self.favorites = favorites
        self.server = server
    }

    /// Returns a favourite for List. One without a name has the name that the store knows.
    private func wire(_ favorite: Favorite) -> VariantDictionary {
        var wire = favorite.wire
        if favorite.name.isEmpty { wire["name"] = .string(server.lookUp(favorite.handle).name) }
        return wire
    }

    static let interface = Interface<FavoritesObject>(Contract.favorites) {
        DeferredMethod(StoreMember.Favorites.list) {
            (object: FavoritesObject, invocation: Invocation<[VariantDictionary]>) in
            object.favorites.all { result in
                switch result {
                case .success(let list): invocation.reply(list.map(object.wire))
                case .failure(let error): invocation.fail(error)
                }
            }
        }
        DeferredMethod(StoreMember.Favorites.add) {
            (
                object: FavoritesObject, invocation: Invocation<Int64>, handle: Handle.Wire, name: String,
                provider: String
            ) throws(CallError) in
            guard provider.isEmpty || ProviderID(provider) != nil else {
                throw CallError(.invalidArguments, "provider is \"\(provider.excerpt)\", expected an id or nothing")
            }
            object.favorites.add(try Handle(wire: handle), name, provider) { result in
                switch result {
                case .success(let id): invocation.reply(id)
                case .failure(let error): invocation.fail(error)
                }
            }
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

extension Result where Failure == CallError {
    /// Replies without a value, or with the error.
    @LoopActor
    func answer(_ invocation: VoidInvocation) {
        if case .failure(let error) = self { invocation.fail(error) } else { invocation.reply() }
    }
}
