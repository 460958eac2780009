// The objects of the bus that the store answers for.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallSystemHost {
    /// Shows them, whether the store is there or not.
    func exportStore() {
        let proxy = RecentsProxy(self)
        tree.export(proxy, at: .recents, RecentsProxy.interface)
        tree.export(FavoritesProxy(store), at: .favorites, FavoritesProxy.interface)
        tree.export(DirectoryProxy(store), at: .directory, DirectoryProxy.interface, DirectoryProxy.rules)
        store.onSignal = { [weak self, weak proxy] message in self?.take(fromStore: message, recents: proxy) }
        store.onChange.append { [weak self, weak proxy] isReachable in
            self?.storeChanged(isReachable)
            proxy?.storeChanged(isReachable: isReachable)
        }
        store.onAbsence = { [weak self, weak proxy] in
            if let self, machine.expectsLookUp { submit(.lookUpAvailable(false)) }
            proxy?.announceDegraded()
        }
        recents.onChange = { [weak proxy] in proxy?.announceDegraded() }
    }

    /// Ends the keeper of secrets, and the store when it has written down how the last calls ended.
    func stopHelpers() {
        accounts.stop()
        recents.drain { [weak self] in self?.store.stop { self?.onStopped?() } }
    }

    /// Calls are looked up only while somebody can answer; they are recorded all the time.
    private func storeChanged(_ isReachable: Bool) {
        // Before the first question, so that it is answered with all that is known.
        if isReachable { plugins.tellStore() } else { plugins.forgetDirectories() }
        // After the stop nothing happens any more, recordings end with it.
        if !machine.isLeaving { callerLookUp = isReachable ? storeLookUp : nil }
        recents.storeChanged(isReachable: isReachable)
    }

    /// What the store says unasked is said on the bus, if it is about an object of its own.
    private func take(fromStore signal: Message, recents: RecentsProxy?) {
        switch (signal.path, signal.interface, signal.member) {
        case (.favorites, Contract.favorites, "Changed"), (.recents, Contract.recents, "Changed"): tree.relay(signal)
        case (.recents, StandardInterface.properties, "PropertiesChanged"): recents?.take(signal)
        case (.directory, Contract.directory, "Changed"), (.directory, Contract.rules, "Changed"): tree.relay(signal)
        case (.store, Contract.store, PrivateMember.Store.directoryChanged): plugins.take(directoryChanged: signal)
        default: break
        }
    }
}
