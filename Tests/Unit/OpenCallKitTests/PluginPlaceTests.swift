// What the host says of a plugin in its answer to Hello: its id, its folder, and what it may use.

import DBus
import Testing

@testable import OpenCallKit

@Suite struct PluginPlaceTests {
    @Test func whatIsGrantedIsKnown() throws {
        let place = try PluginMain.Place([
            "plugin-id": "Phone", "resource-directory": "/plugins/Phone.callplugin",
            "permissions": Variant(["network", "files:xdg-music", "network"]),
        ])
        #expect(place.identifier == "Phone" && place.resourceDirectory == "/plugins/Phone.callplugin")
        #expect(place.permissions == ["network", "files:xdg-music"])
    }

    @Test func nothingIsGrantedByAHostThatSaysNothing() throws {
        let place = try PluginMain.Place([:])
        #expect(place.identifier.isEmpty && place.permissions.isEmpty)
    }

    @Test func anAnswerOfAnotherTypeIsRefused() {
        #expect(throws: DBusError.self) { try PluginMain.Place(["permissions": "network"]) }
    }
}
