// What is no account, key, storage or secret is refused, by every method.

import CallModel
import CallWire
import DBus
import EventLoop
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) @LoopActor struct InvalidArgumentTests {
    @Test(arguments: [
        "", "x", "../../../etc/passwd", "f81d4fae-7dec-11d0-a765-00a0c91e6bf", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
        "../f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae/7dec-11d0-a765-00a0c91e6bf6",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6/x", String(repeating: "f", count: 100_000),
    ]) func accounts(account: String) async throws {
        let rig = try await SecretsRig()
        try rig.start()
        for storage in ["keyring", "memory", "file"] {
            await expect(.invalidArguments) { try await rig.store([0x61], in: storage, account: account) }
            await expect(.invalidArguments) { _ = try await rig.lookUp(in: storage, account: account) }
            await expect(.invalidArguments) { try await rig.clear(in: storage, account: account) }
        }
        #expect(!FileManager.default.fileExists(atPath: rig.folder))
    }

    @Test(arguments: ["../x", "a/b", "Password", "a b", "a.new", "ü", String(repeating: "a", count: 33)])
    func keys(key: String) async throws {
        let rig = try await SecretsRig()
        try rig.start()
        for storage in ["keyring", "memory", "file"] {
            await expect(.invalidArguments) { try await rig.store([0x61], key, in: storage) }
            await expect(.invalidArguments) { try await rig.clear(key, in: storage) }
        }
        await expect(.invalidArguments) { try await rig.store([0x61], "", in: "memory") }
    }

    @Test func secrets() async throws {
        let rig = try await SecretsRig()
        try rig.start()
        for storage in ["keyring", "memory", "file"] {
            for size in [0, 4_097, 100_000] {
                await expect(.invalidArguments) {
                    try await rig.store([UInt8](repeating: 0x61, count: size), in: storage)
                }
            }
        }
        try await rig.store([UInt8](repeating: 0x61, count: 4_096), String(repeating: "a", count: 32), in: "memory")
        #expect(try await rig.lookUp(in: "memory").count == 1)
    }

    @Test func storagesAndTypes() async throws {
        let rig = try await SecretsRig()
        try rig.start()
        for storage in ["", "Keyring", "clipboard"] {
            await expect(.invalidArguments) { try await rig.store([0x61], in: storage) }
            await expect(.invalidArguments) { _ = try await rig.lookUp(in: storage) }
        }
        await expect(.invalidArguments) {
            let call = try Message.call(
                at: .secrets, Contract.secrets, PrivateMember.Secrets.store, "memory", UInt32(7))
            _ = try await rig.link().call(call)
        }
        await expect(.invalidArguments) {
            let call = try Message.call(at: .secrets, Contract.secrets, PrivateMember.Secrets.unlock, "now")
            _ = try await rig.link().call(call)
        }
        #expect(try await rig.lookUp(in: "memory") == [:])
    }
}
