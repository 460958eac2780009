// The objects of the bus that the store answers for.

import CallModel
import DBus
import EventLoop

extension CallSystemHost {
    /// Shows them, whether the store is there or not.
    func exportStore() {
        tree.export(FavoritesProxy(store), at: .favorites, FavoritesProxy.interface)
        store.onSignal = { [weak self] message in self?.take(fromStore: message) }
    }

    /// What the store says unasked is said on the bus, if it is about an object of its own.
    private func take(fromStore signal: Message) {
        switch (signal.path, signal.interface, signal.member) {
        case (.favorites, Contract.favorites, "Changed"): tree.relay(signal)
        default: break
        }
    }
}
