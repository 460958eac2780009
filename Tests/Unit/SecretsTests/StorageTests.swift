// The three storages keep, find and remove secrets alike.

import CallModel
import DBus
import EventLoop
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) @LoopActor struct StorageTests {
    @Test(arguments: ["keyring", "memory", "file"]) func keepsFindsAndRemoves(storage: String) async throws {
        let rig = try await SecretsRig()
        try await rig.startKeyring()
        try rig.start()
        let longest = [UInt8]((0..<4_096).map { UInt8(truncatingIfNeeded: $0 % 251) })
        #expect(try await rig.lookUp(in: storage) == [:])
        try await rig.store([0x61], in: storage)
        try await rig.store(Array("hunter2".utf8), in: storage)
        try await rig.store(longest, "auth-2", in: storage)
        try await rig.store([1, 0, 255], in: storage, account: SecretsRig.other)
        #expect(try await rig.lookUp(in: storage) == ["password": Array("hunter2".utf8), "auth-2": longest])
        #expect(try await rig.lookUp(in: storage, account: SecretsRig.other) == ["password": [1, 0, 255]])
        // Only the memory forgets.
        try await rig.restart()
        let kept = try await rig.lookUp(in: storage)
        #expect(kept == (storage == "memory" ? [:] : ["password": Array("hunter2".utf8), "auth-2": longest]))
        try await rig.clear("password", in: storage)
        try await rig.clear("missing", in: storage)
        #expect(try await rig.lookUp(in: storage) == (storage == "memory" ? [:] : ["auth-2": longest]))
        try await rig.clear(in: storage)
        try await rig.clear(in: storage)
        #expect(try await rig.lookUp(in: storage) == [:])
        let others = try await rig.lookUp(in: storage, account: SecretsRig.other)
        #expect(others == (storage == "memory" ? [:] : ["password": [1, 0, 255]]))
    }

    @Test func anAccountHasManySecrets() async throws {
        let rig = try await SecretsRig()
        try await rig.startKeyring()
        try rig.start()
        let keys = (0..<24).map { "key-\($0)" }
        for key in keys { try await rig.store([UInt8](repeating: 0x61, count: 4_096), key) }
        #expect(try await rig.lookUp().count == keys.count)
    }

    @Test func filesAreTheUsersOnly() async throws {
        let rig = try await SecretsRig()
        try rig.start()
        try FileManager.default.createDirectory(
            atPath: rig.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try await rig.store([0x61], in: "file")
        func permissions(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try permissions(rig.folder) == 0o700)
        #expect(try permissions("\(rig.folder)/\(SecretsRig.account).password") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder) == ["\(SecretsRig.account).password"])
    }

    @Test func aLinkIsNotFollowed() async throws {
        let rig = try await SecretsRig()
        try rig.start()
        try await rig.store([0x61], "other", in: "file")
        try rig.home.write("precious", to: "target")
        let link = "\(rig.folder)/\(SecretsRig.account).password"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: rig.home.file("target"))
        await expect(.storeUnavailable) { try await rig.store([0x62], in: "file") }
        await expect(.storeUnavailable) { _ = try await rig.lookUp(in: "file") }
        #expect(try String(contentsOfFile: rig.home.file("target"), encoding: .utf8) == "precious")
        try await rig.clear(in: "file")
        #expect(try String(contentsOfFile: rig.home.file("target"), encoding: .utf8) == "precious")
        #expect(try await rig.lookUp(in: "file") == [:])
        // A folder neither.
        try FileManager.default.moveItem(atPath: rig.folder, toPath: rig.home.file("elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: rig.folder, withDestinationPath: rig.home.file("elsewhere"))
        await expect(.storeUnavailable) { try await rig.store([0x62], in: "file") }
        await expect(.storeUnavailable) { _ = try await rig.lookUp(in: "file") }
    }

    @Test func whatAnInterruptionLeavesIsRemoved() async throws {
        let rig = try await SecretsRig()
        try rig.start()
        try await rig.store([0x61], in: "file")
        let file = "\(rig.folder)/\(SecretsRig.account).password"
        try FileManager.default.copyItem(atPath: file, toPath: file + ".new")
        #expect(try await rig.lookUp(in: "file") == ["password": [0x61]])
        try await rig.clear("password", in: "file")
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder) == [])
    }

    @Test func aFileThatIsNoSecretIsIgnored() async throws {
        let rig = try await SecretsRig()
        try rig.start()
        try await rig.store([0x61], in: "file")
        try Data().write(to: URL(filePath: "\(rig.folder)/\(SecretsRig.account).empty"))
        try Data(count: 4_097).write(to: URL(filePath: "\(rig.folder)/\(SecretsRig.account).large"))
        try Data(count: 1).write(to: URL(filePath: "\(rig.folder)/\(SecretsRig.account).NO"))
        #expect(try await rig.lookUp(in: "file") == ["password": [0x61]])
    }
}
