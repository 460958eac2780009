// What the doctor says of plugins and providers that do not work.

import CallClient
import CallModel
import DBus
import Testing

@testable import callctl

@Suite struct DoctorTests {
    private func problems(
        _ plugin: VariantDictionary, availability: String = "offline", status: String = "socket: Permission denied"
    ) -> [String] {
        let path = ObjectPath("\(Contract.pluginsPath)/Hotline") ?? .root
        let provider: VariantDictionary = [
            "Id": "Hotline", "State": "ready", "Plugin": .objectPath(path), "Availability": .string(availability),
            "Status": .string(status),
        ]
        let state: VariantDictionary = ["State": "ready", "Sandbox": "full"]
        let snapshot = Sample.snapshot(
            [Sample.hotline: [Contract.provider: provider]],
            [path: [Contract.plugin: state.merging(plugin) { _, new in new }]])
        return Findings(health: [:], answeredIn: .zero, snapshot: snapshot, accounts: AccountBook([])).problems
    }

    @Test func anOfflineProviderLacksAPermission() {
        #expect(
            problems(["Needs": Variant(["network"]), "MayUse": Variant(["audio"]), "Granted": Variant(["network"])])
                == [
                    "provider Hotline is offline: socket: Permission denied; its plugin may not use audio; to allow that: "
                        + "callctl plugins grant Hotline audio"
                ])
        #expect(
            problems([:]) == [
                "provider Hotline is offline: socket: Permission denied; its plugin may not use the network, and does not "
                    + "ask for it: that takes a bundle with Needs=network; in Plugin.ini"
            ])
        #expect(
            problems(["Needs": Variant(["network"]), "Granted": Variant(["network"])])
                == ["provider Hotline is offline: socket: Permission denied"])
        #expect(problems([:], availability: "online") == [])
    }

    @Test func aPluginThatDoesNotRunIsToldWithWhatToType() {
        #expect(
            problems(["State": "quarantined", "Error": "3 crashes"], availability: "online")
                == ["plugin Hotline is quarantined: 3 crashes; try: callctl plugins restart Hotline"])
        #expect(problems(["State": "disabled"], availability: "online") == [])
    }
}
