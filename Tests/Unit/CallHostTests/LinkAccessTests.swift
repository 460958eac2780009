// Whether a plugin may use a member over its link is decided for each member of the contract, and for no other.

import CallModel
import DBus
import Foundation
import Testing

@testable import CallHost

@Suite struct LinkAccessTests {
    /// What the daemon serves nobody: others serve it, to the daemon or to the store.
    private static let servedByOthers: Set<String> = [
        Contract.providerDelegate, Contract.screener, Contract.audioAgent, Contract.store, Contract.directoryHost,
        Contract.contactsHost, Contract.desktop, Contract.audioRoutes, Contract.shortcuts, Contract.secrets,
        Contract.accountsDelegate, Contract.workerDelegate,
    ]

    /// The names of all methods and properties in dbus/, by interface.
    private static func contract() throws -> [String: Set<String>] {
        let folder = URL(filePath: #filePath).appending(path: "../../../../dbus").standardized
        var members: [String: Set<String>] = [:]
        for folder in [folder, folder.appending(path: "private")] {
            for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            where file.pathExtension == "xml" {
                let text = try String(contentsOf: file, encoding: .utf8)
                var interface = ""
                for match in text.matches(of: /<(interface|method|property) name="([^"]+)"/) {
                    if match.1 == "interface" {
                        interface = String(match.2)
                    } else {
                        members[interface, default: []].insert(String(match.2))
                    }
                }
            }
        }
        return members
    }

    @Test func everyMemberHasARule() throws {
        var expected = try Self.contract().filter { !Self.servedByOthers.contains($0.key) }
        #expect(expected.count == 16)
        expected[StandardInterface.peer] = ["Ping", "GetMachineId"]
        expected[StandardInterface.introspectable] = ["Introspect"]
        expected[StandardInterface.properties] = ["Get", "Set", "GetAll"]
        expected[StandardInterface.objectManager] = ["GetManagedObjects"]
        #expect(LinkAccess.members == expected)
    }

    @Test func whatHasNoRuleIsForNobody() {
        #expect(LinkAccess.of("Get", "com.example.Later1") == nil)
        #expect(LinkAccess.of("Later", Contract.call) == nil)
    }
}
