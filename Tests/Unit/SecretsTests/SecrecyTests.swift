// Where the bytes of a secret are, and where they are not.

import CallModel
import DBus
import EventLoop
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) @LoopActor struct SecrecyTests {
    private static let canary = Array("canary-7c0e1f5d-of-a-secret".utf8)

    /// Runs a program of the keyring's bus, and returns what it has written.
    private func output(_ program: String, _ words: [String], _ rig: SecretsRig) async throws -> String {
        let file = rig.home.file("output")
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            unlink(file)
        }
        let exits = Inbox<EventLoop.ExitStatus>()
        _ = try ChildProcess.spawn(
            program, words, environment: rig.environment, descriptors: [1: descriptor, 2: descriptor],
            onExit: { exits.put($0) })
        _ = try await exits.next()
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    @Test func noByteOfItPassesTheBus() async throws {
        let rig = try await SecretsRig()
        try await rig.startKeyring()
        let capture = rig.home.file("bus.pcap")
        let descriptor = open(capture, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        let exits = Inbox<EventLoop.ExitStatus>()
        let monitor = try ChildProcess.spawn(
            "/usr/bin/dbus-monitor", ["--address", rig.bus.address, "--binary"], environment: rig.environment,
            descriptors: [1: descriptor], onExit: { exits.put($0) })
        close(descriptor)
        // The monitor writes a signal to itself first: its name is lost when it begins.
        let client = try await Bus.connect(to: rig.bus.address)
        func recorded() throws -> Data { try Data(contentsOf: URL(filePath: capture)) }
        func passed(_ word: String) async throws {
            let begin = MonotonicTime.now
            while try recorded().range(of: Data(word.utf8)) == nil {
                try #require(MonotonicTime.now.duration(since: begin) < .seconds(600), "\(word) did not pass the bus")
                _ = try? await client.owner(of: "org.example.\(word)")
            }
        }
        try await passed("Begin")
        try rig.start()
        try await rig.store(Self.canary)
        #expect(try await rig.lookUp() == ["password": Self.canary])
        try await rig.clear()
        try await passed("Done")
        monitor.kill(SIGTERM)
        _ = try await exits.next()
        let bytes = try recorded()
        #expect(bytes.range(of: Data("CreateItem".utf8)) != nil)
        #expect(bytes.range(of: Data("OpenSession".utf8)) != nil)
        for length in [Self.canary.count, 8] {
            #expect(bytes.range(of: Data(Self.canary.prefix(length))) == nil)
        }
        // Nor does anything else that it says of the user.
        #expect(bytes.range(of: Data("org.opencallkit".utf8)) != nil)
    }

    @Test(arguments: ["keyring", "memory", "file"]) func itIsInNoOtherFile(storage: String) async throws {
        let rig = try await SecretsRig()
        try await rig.startKeyring()
        try rig.start()
        try await rig.store(Self.canary, in: storage)
        _ = try await rig.lookUp(in: storage)
        let expected = storage == "file" ? ["state/opencallkit/secrets/\(SecretsRig.account).password"] : []
        #expect(try rig.files(with: Self.canary) == expected)
        try await rig.clear(in: storage)
        #expect(try rig.files(with: Self.canary) == [])
    }

    /// What other programs see of the item has nothing that tells who the user is.
    @Test func attributes() async throws {
        let rig = try await SecretsRig()
        try await rig.startKeyring()
        try rig.start()
        try await rig.store(Self.canary)
        let text = try await output("/usr/bin/secret-tool", ["search", "--all", "service", "org.opencallkit"], rig)
        let attributes = text.split(separator: "\n").filter { $0.hasPrefix("attribute.") }.map(String.init).sorted()
        #expect(
            attributes == [
                "attribute.account = \(SecretsRig.account)", "attribute.key = password",
                "attribute.service = org.opencallkit",
            ])
        #expect(text.contains("label = OpenCallKit: password\n"))
    }

    /// Prints how long a call takes.
    @Test func warmCallsAreQuick() async throws {
        let rig = try await SecretsRig()
        try await rig.startKeyring()
        try rig.start()
        var times: [String: Int] = [:]
        for storage in ["keyring", "memory", "file"] {
            try await rig.store(Self.canary, in: storage)
            _ = try await rig.lookUp(in: storage)
            var begin = MonotonicTime.now
            for _ in 0..<20 { try await rig.store(Self.canary, in: storage) }
            times["\(storage) store"] = MonotonicTime.now.duration(since: begin).milliseconds * 50
            begin = MonotonicTime.now
            for _ in 0..<20 { _ = try await rig.lookUp(in: storage) }
            times["\(storage) look-up"] = MonotonicTime.now.duration(since: begin).milliseconds * 50
        }
        print("µs a call:", times.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        #expect(times.values.allSatisfy { $0 < 2_000_000 })
    }
}
