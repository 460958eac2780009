// The store answers what the host says that it answers.

import DBus
import EventLoop
import TestSupport
import Testing

@testable import CallHost
@testable import CallStore

@Suite @LoopActor struct TableTests {
    /// The host hands calls on unread: what it shows on the bus must be what the store reads and writes.
    @Test func hostAndStoreShowTheSame() {
        let favorites = FavoritesProxy.interface.introspectionXML
        #expect(favorites == FavoritesObject.interface.introspectionXML)
        let recents = RecentsProxy.interface.introspectionXML.split(separator: "\n").map(String.init)
        let callBack = recents.firstIndex { $0.contains("\"CallBack\"") } ?? 0
        // Calling back is the host's: the store has no calls.
        let store = RecentsObject.interface.introspectionXML.split(separator: "\n").map(String.init)
        #expect(store == Array(recents[..<callBack] + recents[(callBack + 5)...]))
    }
}
