// What a plugin asks for, what it has, and what is kept of that.

import CallModel
import Testing
import WorkerLaunch

@testable import CallHost

@Suite struct PluginPermissionsTests {
    private static func manifest(needs: [Permission] = [], mayUse: [Permission] = []) -> PluginManifest {
        var manifest = PluginManifest()
        (manifest.needs, manifest.mayUse) = (needs, mayUse)
        return manifest
    }

    private static func permissions(
        needs: [Permission] = [], mayUse: [Permission] = [], isPackaged: Bool = false,
        _ decisions: [Permission: Bool] = [:]
    ) -> PluginPermissions {
        PluginPermissions(manifest(needs: needs, mayUse: mayUse), isPackaged: isPackaged, decisions: decisions)
    }

    @Test func whoAsksForNothingHasConsent() {
        #expect(Self.permissions().hasConsent)
        #expect(Self.permissions(mayUse: [.audio]).hasConsent)
        #expect(Self.permissions().complaint(of: "Phone") == "")
        #expect(PluginPermissions.none.granted.isEmpty)
    }

    @Test func theUserGrantsWhatIsNotPackaged() {
        let asked = Self.permissions(needs: [.network, .audio], mayUse: [.devices(.serial)])
        #expect(asked.missing == [.network, .audio])
        #expect(!asked.hasConsent)
        let half = Self.permissions(needs: [.network, .audio], [.network: true])
        #expect(half.missing == [.audio])
        #expect(Self.permissions(needs: [.network, .audio], [.network: true, .audio: true]).hasConsent)
    }

    @Test func installationGrantsUntilTheUserRevokes() {
        let packaged = Self.permissions(needs: [.network], mayUse: [.audio], isPackaged: true)
        #expect(packaged.granted == [.network, .audio])
        let revoked = Self.permissions(needs: [.network], mayUse: [.audio], isPackaged: true, [.network: false])
        #expect(revoked.missing == [.network])
        #expect(revoked.granted == [.audio])
    }

    @Test func whatIsNotAskedForIsNotHad() {
        #expect(Self.permissions(needs: [.network], [.network: true, .audio: true]).granted == [.network])
    }

    @Test func theComplaintIsACommand() {
        let asked = Self.permissions(needs: [.network, .files("~/My Music")])
        #expect(
            asked.complaint(of: "Phone")
                == "it needs network, files:~/My Music; to allow that: "
                + "callctl plugins grant Phone network 'files:~/My Music'")
    }

    @Test func clientsNameWhatIsAskedFor() throws {
        let asked = Self.permissions(needs: [.network], mayUse: [.audio])
        #expect(try asked.asked(["audio", "network", "audio"], of: "Phone") == [.network, .audio])
        #expect(throws: CallError(.invalidArguments, "no permission of plugin Phone is given, expected at least one")) {
            try asked.asked([], of: "Phone")
        }
        #expect(
            throws: CallError(
                .invalidArguments, "plugin Phone does not ask for devices:serial, it asks for network, audio")
        ) { try asked.asked(["network", "devices:serial"], of: "Phone") }
        for text in ["", "Network", "session-bus:org.freedesktop.systemd1", "files:~", "files:~/.ssh/id"] {
            let error = #expect(throws: CallError.self) { try asked.asked([text], of: "Phone") }
            #expect(error?.code == .notSupported)
        }
    }
}

@Suite struct PluginGrantsTests {
    private static let phone = PluginGrants.Place(id: "Phone", folder: "/home/a b/plugins")
    private static let elsewhere = PluginGrants.Place(id: "Phone", folder: "/usr/share/plugins")

    @Test func decisionsSurviveTheFile() throws {
        var grants = PluginGrants()
        try grants.decide([.network, .files("~/My Music")], true, for: Self.phone)
        try grants.decide([.audio], false, for: Self.phone)
        try grants.decide([.audio], true, for: Self.elsewhere)
        #expect(grants.text.hasPrefix("permissions\npermission plugin=Phone folder=\"/home/a b/plugins\" granted=no"))
        let read = try PluginGrants(text: grants.text)
        #expect(read == grants)
        #expect(read.decisions(for: Self.phone)[.audio] == false)
        #expect(read.decisions(for: Self.elsewhere) == [.audio: true])
        #expect(try PluginGrants(text: PluginGrants().text) == PluginGrants())
    }

    @Test func anIdInAnotherFolderInheritsNothing() throws {
        var grants = PluginGrants()
        try grants.decide([.network], true, for: Self.phone)
        #expect(grants.decisions(for: Self.elsewhere).isEmpty)
        let others = grants.forget { $0 == Self.elsewhere }
        let own = grants.forget { $0 == Self.phone }
        #expect(!others && own)
        #expect(grants == PluginGrants())
    }

    @Test func damagedFilesAreRefused() {
        let line = "permission plugin=P folder=/f granted=yes name=network\n"
        for text in [
            "", "permissions", "permission\n", line, "permissions\n" + line.dropLast(),
            "permissions\npermission plugin=P folder=f granted=yes name=network\n",
            "permissions\npermission plugin=P folder=/f granted=maybe name=network\n",
            "permissions\npermission folder=/f granted=yes name=network\n",
            "permissions\npermission plugin=\"\" folder=/f granted=yes name=network\n",
            "permissions\npermission plugin=P folder=/f granted=yes\n",
            "permissions\npermission more plugin=P folder=/f granted=yes name=network\n",
            "permissions\ngrant plugin=P folder=/f granted=yes name=network\n",
            "permissions\npermission plugin=\"P folder=/f granted=yes name=network\n",
            "permissions\n" + String(repeating: line, count: PluginGrants.maximum + 1),
        ] {
            let error = #expect(throws: CallError.self) { try PluginGrants(text: text) }
            #expect(error?.code == .invalidArguments)
        }
    }

    @Test func whatNoPluginGetsIsPassedOver() throws {
        let text = """
            permissions
            permission plugin=P folder=/f granted=yes name=session-bus:org.freedesktop.systemd1
            permission plugin=P folder=/f granted=yes name=network

            """
        let grants = try PluginGrants(text: text)
        #expect(grants.decisions(for: PluginGrants.Place(id: "P", folder: "/f")) == [.network: true])
    }

    @Test func thereIsRoomForSoMany() throws {
        var grants = PluginGrants()
        func names(_ numbers: Range<Int>) -> Set<Permission> { Set(numbers.map { .sessionBus("org.example.N\($0)") }) }
        try grants.decide(names(0..<PluginGrants.maximum), true, for: Self.phone)
        let full = grants
        let error = #expect(throws: CallError.self) { try grants.decide([.network], true, for: Self.elsewhere) }
        #expect(error?.code == .limitsExceeded)
        #expect(grants == full)
        try grants.decide(names(0..<10), false, for: Self.phone)
        #expect(try PluginGrants(text: grants.text) == grants)
    }
}
