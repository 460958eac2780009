// What a client must have been granted is decided for each member of the contract, and for no other; and what a client
// must be granted is not broadcast.

import CallModel
import DBus
import Foundation
import Testing

@testable import CallHost

@Suite struct AccessTableTests {
    /// What the daemon serves nobody on the bus: others serve it, or it is for private links.
    private static let notServed: Set<String> = [
        Contract.providerDelegate, Contract.screener, Contract.audioAgent, Contract.desktop, Contract.audioRoutes,
        Contract.shortcuts,
    ]

    private struct Found: Hashable {
        let interface: String
        let kind: String
        let member: String
        var isSettable = false
        var changes = ""
    }

    /// The members of the public interfaces in dbus/.
    private static func contract() throws -> [Found] {
        let folder = URL(filePath: #filePath).appending(path: "../../../../dbus").standardized
        var found: [Found] = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "xml" {
            let text = try String(contentsOf: file, encoding: .utf8)
            var interface = ""
            let pattern =
                /<(interface|method|property|signal) name="([^"]+)"([^>]*)|EmitsChangedSignal" value="([^"]+)"/
            for match in text.matches(of: pattern) {
                if let changes = match.4 {
                    if !notServed.contains(interface) { found[found.count - 1].changes = String(changes) }
                } else if match.1 == "interface" {
                    interface = String(match.2 ?? "")
                } else if !notServed.contains(interface) {
                    let isSettable = match.3?.contains("readwrite") ?? false
                    found.append(
                        Found(
                            interface: interface, kind: String(match.1 ?? ""), member: String(match.2 ?? ""),
                            isSettable: isSettable))
                }
            }
        }
        return found
    }

    @Test func everyMemberHasATier() throws {
        let found = try Self.contract()
        #expect(found.count > 150)
        var expected: [String: Set<String>] = [:]
        for member in found { expected[member.interface, default: []].insert(member.member) }
        expected[StandardInterface.peer] = ["Ping", "GetMachineId"]
        expected[StandardInterface.introspectable] = ["Introspect"]
        expected[StandardInterface.properties] = ["Get", "Set", "GetAll", "PropertiesChanged"]
        expected[StandardInterface.objectManager] = ["GetManagedObjects", "InterfacesAdded", "InterfacesRemoved"]
        #expect(AccessRule.members == expected)
    }

    @Test func everyPropertyThatCanBeSetHasATierForThat() throws {
        var expected: [String: Set<String>] = [:]
        for member in try Self.contract() where member.isSettable {
            expected[member.interface, default: []].insert(member.member)
        }
        #expect(AccessRule.settable == expected)
        for (interface, members) in expected {
            for member in members { #expect(AccessRule.ofSetting(member, interface)?.tier == .administer) }
        }
    }

    @Test func whatIsBroadcastIsForEverybody() throws {
        for member in try Self.contract() {
            let tier = AccessRule.of(member.member, member.interface)?.tier
            switch member.kind {
            case "signal": #expect(tier == .observe, "\(member)")
            case "property" where tier != .observe:
                #expect(["invalidates", "false"].contains(member.changes), "\(member)")
            default: break
            }
        }
    }

    @Test func whatHasNoRuleIsForThoseWhoAdminister() {
        #expect(AccessRule.of("Get", "com.example.Later1") == nil)
        #expect(AccessRule.of("Later", Contract.call) == nil)
        #expect(AccessRule.ofSetting("State", Contract.call) == nil)
    }
}

extension AccessTableTests {
    @Test func thePageOnTrustHasTheSameTable() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../../docs/trust.md").standardized
        var told: [String: Set<String>] = [:]
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
            guard let row = line.wholeMatch(of: /\| (control|identity|administer) \| `(\w+)` \| (.*) \|/) else {
                continue
            }
            for member in row.3.matches(of: /`(\w+)`/) { told["\(row.1)", default: []].insert("\(row.2).\(member.1)") }
        }
        var expected: [String: Set<String>] = [:]
        for (interface, members) in AccessRule.members {
            for member in members {
                guard let tier = AccessRule.of(member, interface)?.tier, tier != .observe else { continue }
                let name = interface.split(separator: ".").last ?? ""
                expected[tier.rawValue, default: []].insert("\(name).\(member)")
            }
        }
        #expect(told == expected)
    }
}
