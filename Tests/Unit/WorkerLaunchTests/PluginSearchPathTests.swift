// The search path of plugins, and which folder wins.

import EventLoop
import Files
import Glibc
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite struct PluginSearchPathTests {
    private func folders(_ environment: [String: String], first: [String] = []) -> [String] {
        PluginSearchPath(first: first, environment: environment, executableFolder: "/opt/ock/bin").folders
    }

    @Test func standardFolders() {
        #expect(
            folders(["HOME": "/home/a"]) == [
                "/home/a/.local/share/opencallkit/plugins", "/usr/local/share/opencallkit/plugins",
                "/usr/share/opencallkit/plugins", "/opt/ock/lib/opencallkit/plugins",
            ])
        #expect(
            folders([:]) == [
                "/usr/local/share/opencallkit/plugins", "/usr/share/opencallkit/plugins",
                "/opt/ock/lib/opencallkit/plugins",
            ])
    }

    @Test func namedFolders() {
        let environment = [
            "HOME": "/home/a", "XDG_DATA_HOME": "/data", "XDG_DATA_DIRS": "/x:relative:/y/::",
            "OPENCALLKIT_PLUGIN_PATH": "/p::q/:/data/opencallkit/plugins",
        ]
        #expect(
            folders(environment, first: ["/first/", ""]) == [
                "/first", "/p", "q", "/data/opencallkit/plugins", "/x/opencallkit/plugins", "/y/opencallkit/plugins",
                "/opt/ock/lib/opencallkit/plugins",
            ])
        let empty = ["HOME": "/h", "XDG_DATA_HOME": "", "XDG_DATA_DIRS": "", "OPENCALLKIT_PLUGIN_PATH": ""]
        #expect(folders(empty) == folders(["HOME": "/h"]))
        #expect(folders(["HOME": "/h", "XDG_DATA_HOME": "relative"]) == folders(["HOME": "/h"]))
    }

    @Test func executableInTheRoot() {
        let path = PluginSearchPath(environment: ["XDG_DATA_DIRS": "relative"], executableFolder: "/bin")
        #expect(path.folders == ["/lib/opencallkit/plugins"])
        #expect(PluginSearchPath(environment: ["XDG_DATA_DIRS": ":"], executableFolder: "/").folders == path.folders)
    }

    /// Root alone installs for everybody; what is named has been chosen by whoever started the daemon.
    @Test func packagedFolders() throws {
        let folder = try TemporaryFolder()
        let home = try FileStatus.resolve(folder.path)
        let shared = "\(home)/shared/opencallkit/plugins"
        try FileWriter.makeFolder(shared)
        let environment = ["HOME": home, "XDG_DATA_DIRS": "\(home)/shared"]
        let path = PluginSearchPath(first: ["\(home)/named"], environment: environment, executableFolder: "\(home)/bin")
        #expect(!path.isPackaged(in: "\(home)/.local/share/opencallkit/plugins"))
        #expect(path.isPackaged(in: "\(home)/named"))
        #expect(path.isPackaged(in: "\(home)/lib/opencallkit/plugins"))
        if getuid() == 0 {
            #expect(path.isPackaged(in: shared))
            try #require(chown(shared, 65_534, 65_534) == 0)
        }
        #expect(!path.isPackaged(in: shared))
        let named = PluginSearchPath(first: [shared], environment: environment, executableFolder: "\(home)/bin")
        #expect(named.isPackaged(in: shared))
    }

    @Test func firstIDWins() throws {
        let one = try PluginFolder()
        let two = try PluginFolder()
        let image = ELFImage().bytes
        try one.write(image, to: "B.so")
        try one.write(image, to: "libA.so")
        try one.write(Array("broken".utf8), to: "D.so")
        try two.write(image, to: "A.so")
        try two.write(image, to: "C.so")
        try two.write(image, to: "D.so")
        try #require(mkdir(two.file("C.callplugin"), 0o755) == 0)
        try two.write(image, to: "C.callplugin/C.so")
        try one.write(image, to: "README")
        try one.write(image, to: ".so")
        try one.write(image, to: ".hidden.so")

        let missing = one.file("missing")
        let path = PluginSearchPath(
            first: [missing, one.path, two.path], environment: ["XDG_DATA_DIRS": missing], executableFolder: missing)
        let survey = path.survey().map { candidate in
            switch candidate {
            case .usable(let file): "\(file.id) usable \(file.location)"
            case .rejected(let id, let path, let error): "\(id) rejected \(path) \(error)"
            case .shadowed(let id, let path, let winner): "\(id) shadowed \(path) by \(winner)"
            }
        }
        #expect(
            survey == [
                "B usable \(one.file("B.so"))", "D rejected \(one.file("D.so")) is not an ELF file",
                "A usable \(one.file("libA.so"))", "A shadowed \(two.file("A.so")) by \(one.file("libA.so"))",
                "C usable \(two.file("C.callplugin"))", "C shadowed \(two.file("C.so")) by \(two.file("C.callplugin"))",
                "D shadowed \(two.file("D.so")) by \(one.file("D.so"))",
            ])
        #expect(path.scan().map(\.id) == ["B", "D", "A", "C"])
    }

    @Test func relativeFolderGivesAbsoluteNames() throws {
        let folder = try PluginFolder()
        try folder.write(ELFImage().bytes, to: "A.so")
        let up = String(repeating: "../", count: 40)
        let path = PluginSearchPath(
            first: [up + folder.path.dropFirst()], environment: [:], executableFolder: "/nonexistent/bin")
        #expect(path.scan().first?.path == folder.file("A.so"))
        #expect(path.scan().first?.location == folder.file("A.so"))
    }

    @Test(
        arguments: [
            ("Hotline.so", "Hotline"), ("libHotline.so", "Hotline"), ("lib.so", "lib"),
            ("libHotline.callplugin", "libHotline"),
            ("my-plug in.so", "my_plug_in"), ("é😀.so", "__"), ("e\u{301}.so", "e_"), ("a.b.so", "a_b"), ("../x", nil),
            ("A.so.1", nil), (".A.so", nil), ("so", nil), ("A.SO", nil), ("callplugin", nil),
        ] as [(String, String?)])
    func identifiers(_ name: String, _ id: String?) {
        #expect(PluginName(name)?.id == id)
    }

    @Test func longName() throws {
        let folder = try PluginFolder()
        try folder.write(ELFImage().bytes, to: String(repeating: "a", count: 65) + ".so")
        let path = folder.scan().first
        #expect(path?.id == String(repeating: "a", count: 64))
        #expect(path?.complaint?.hasSuffix("has a name of 65 characters, expected at most 64") == true)
    }

    @Test func crowdedFolder() throws {
        let folder = try PluginFolder()
        for number in 100..<700 { try folder.write([], to: "P\(number).so") }
        let found = folder.scan()
        #expect(found.count == 257)
        #expect(found.map(\.id) == (100..<357).map { "P\($0)" })
        #expect(found.last == .rejected(id: "P356", path: folder.file("P356.so"), .tooMany(limit: 256)))
    }
}
