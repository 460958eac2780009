// The host and the store have the same interfaces.

import DBus
import EventLoop
import TestSupport
import Testing

@testable import CallHost
@testable import CallStore

@Suite @LoopActor struct TableTests {
    /// The host passes requests on unread, so both must have the same introspection.
    @Test func hostAndStoreShowTheSame() {
        let favorites = FavoritesProxy.interface.introspectionXML
        #expect(favorites == FavoritesObject.interface.introspectionXML)
        let recents = RecentsProxy.interface.introspectionXML.split(separator: "\n").map(String.init)
        let callBack = recents.firstIndex { $0.contains("\"CallBack\"") } ?? 0
        // The host itself serves CallBack: the store has no calls.
        let store = RecentsObject.interface.introspectionXML.split(separator: "\n").map(String.init)
        #expect(store == Array(recents[..<callBack] + recents[(callBack + 5)...]))
    }
}
