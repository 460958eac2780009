// What callkit-store is told of a plugin with a call directory, and what it does not believe.

import CallModel
import DBus
import EventLoop
import Files
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite struct DirectoryPluginTests {
    private static let probe = ProcessEnvironment.executableFolder + "/libTutorialDirectory.so"

    private func wire(
        id: String = "Lists", library: String = "/a/Lists.so", resources: String = "", demand: String = "landlock",
        permissions: [String] = []
    ) -> DirectoryPlugin.Wire {
        Struct(id, library, resources, true, Struct(1, 2, 3, -4, 5), demand, permissions)
    }

    @Test func travels() throws {
        let plugin = try DirectoryPlugin(wire: wire(resources: "/a", permissions: ["files:~/lists", "devices:serial"]))
        #expect(plugin.permissions == [.files("~/lists")])
        #expect(plugin.version == FileVersion(device: 1, inode: 2, size: 3, modified: -4, changed: 5))
        #expect(plugin.demand == .landlock)
        #expect(try DirectoryPlugin(wire: plugin.wire) == plugin)
    }

    @Test func noNetworkWhateverIsGranted() throws {
        let granted = ["network", "audio", "session-bus:org.example.A", "system-bus:org.example.B", "files:~/lists"]
        #expect(try DirectoryPlugin(wire: wire(permissions: granted)).permissions == [.files("~/lists")])
    }

    @Test func whatIsInvalid() {
        let many = (0..<65).map { "files:~/\($0)" }
        for invalid in [
            wire(id: ""), wire(id: "a/b"), wire(id: ".."), wire(id: String(repeating: "a", count: 65)),
            wire(library: "Lists.so"), wire(resources: "lists"), wire(demand: ""), wire(demand: "all"),
            wire(permissions: ["everything"]), wire(permissions: many),
        ] {
            #expect(throws: CallError.self) { try DirectoryPlugin(wire: invalid) }
        }
    }

    @Test func anotherFileIsNotOpened() throws {
        let folder = try TemporaryFolder()
        let path = try FileStatus.resolve(folder.path) + "/Tutorial.so"
        let bytes = try FileReader(Self.probe).bytes(at: 0, count: 1 << 30)
        try FileWriter.replace(path, with: bytes)
        let file = try PluginFile(at: path, protocolVersion: Contract.protocolVersion)
        let plugin = DirectoryPlugin(file, isEnabled: true, demand: .full, permissions: [.network])
        #expect(plugin.permissions.isEmpty)
        #expect(try plugin.open().status.size == UInt64(bytes.count))
        // The same bytes, but not the file that was looked at.
        try FileWriter.replace(path, with: bytes)
        #expect(throws: PluginFileError.exchanged(path: path)) { try plugin.open() }
        try FileWriter.remove(path)
        #expect(throws: PluginFileError.self) { try plugin.open() }
    }
}
