// What a grant means on a machine: links and variables lead to no key, whatever the words of the permission are.

import CallModel
import Files
import Glibc
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite struct SandboxResourcesTests {
    private let folder: TemporaryFolder
    private let home: String
    private var environment: [String: String]

    init() throws {
        folder = try TemporaryFolder()
        home = try FileStatus.resolve(folder.path)
        environment = ["HOME": home, "XDG_RUNTIME_DIR": "\(home)/run"]
        for name in [
            ".ssh", ".config", ".config/phone", ".config/opencallkit", ".config/opencallkit/lists", "run", "Music",
        ] {
            try #require(mkdir(folder.file(name), 0o700) == 0)
        }
        try folder.write("key", to: ".ssh/id")
    }

    private func resources(_ text: String, _ environment: [String: String]? = nil) throws -> SandboxResources {
        try SandboxResources(of: [Permission(text)], environment: environment ?? self.environment)
    }

    private func refusal(_ text: String, _ environment: [String: String]? = nil) throws -> String? {
        let resources = try resources(text, environment)
        #expect(resources.files.isEmpty || resources.refused.isEmpty)
        return try resources.refused[Permission(text)]
    }

    @Test func visible() throws {
        let phone = try resources("files:xdg-config/phone")
        #expect(phone.files == [.init(path: "\(home)/.config/phone", name: "\(home)/.config/phone")])
        #expect(phone.variables == ["XDG_CONFIG_DIRS": "\(home)/.config:/etc/xdg"])
        #expect(phone.refused.isEmpty && phone.missing.isEmpty)
        #expect(try resources("files:xdg-config/opencallkit/lists").files.count == 1)
        #expect(try resources("files:xdg-music").variables == ["XDG_MUSIC_DIR": "\(home)/Music"])
    }

    @Test func missing() throws {
        for text in ["files:~/nowhere", "files:xdg-config/x", "files:xdg-videos"] {
            let resources = try resources(text)
            #expect(try resources.missing == [Permission(text)])
            #expect(resources.files.isEmpty && resources.refused.isEmpty && resources.variables.isEmpty)
        }
        #expect(try resources("files:~/x", [:]).missing.count == 1)
        #expect(try resources("files:~/x", ["HOME": "relative"]).missing.count == 1)
        #expect(try resources("audio", [:]).missing == [.audio])
    }

    /// A link that somebody sets after the grant.
    @Test(arguments: [
        ".ssh", ".ssh/id", ".", "..", "/", "/proc", "/proc/self/environ", "/sys", "/dev", "/dev/null", "run", "/run",
        "/home",
        ".config", ".config/opencallkit", "/tmp",
    ])
    func linkThatLeadsAway(target: String) throws {
        // Relative names are those of the home folder.
        try #require(symlink(target, folder.file("book")) == 0)
        if try FileStatus("\(home)/book").kind == .other { return }
        let refusal = try refusal("files:~/book")
        #expect(refusal != nil, "\(target)")
        try #require(mkdir(folder.file("way"), 0o700) == 0 && symlink("..", folder.file("way/up")) == 0)
        #expect(try self.refusal("files:~/way/up") != nil)
        #expect(try self.refusal("files:~/way/up/Music") == nil)
    }

    @Test func variablesThatLeadAway() throws {
        func with(_ name: String, _ value: String) -> [String: String] { environment.merging([name: value]) { $1 } }
        #expect(try refusal("files:xdg-config/id", with("XDG_CONFIG_HOME", "\(home)/.ssh"))?.contains(".ssh") == true)
        #expect(try refusal("files:xdg-config/self", with("XDG_CONFIG_HOME", "/proc"))?.contains("/proc") == true)
        try folder.write("XDG_MUSIC_DIR=\"$HOME/\"\n", to: ".config/user-dirs.dirs")
        #expect(try refusal("files:xdg-music")?.contains("home folder") == true)
        try folder.write("XDG_MUSIC_DIR=\"$HOME/.ssh\"\n", to: ".config/user-dirs.dirs")
        #expect(try refusal("files:xdg-music")?.contains("secrets") == true)
        try folder.write("XDG_MUSIC_DIR=\"$HOME/..\"\n", to: ".config/user-dirs.dirs")
        #expect(try refusal("files:xdg-music") != nil)
        try folder.write("XDG_MUSIC_DIR=\"/usr/share/sounds\"\n", to: ".config/user-dirs.dirs")
        #expect(try refusal("files:xdg-music") == nil)
        // Where our own configuration really is.
        let other = with("XDG_CONFIG_HOME", "\(home)/conf")
        try #require(mkdir(folder.file("conf"), 0o700) == 0 && mkdir(folder.file("conf/opencallkit"), 0o700) == 0)
        #expect(try refusal("files:~/conf", other) != nil)
        #expect(try refusal("files:~/conf/opencallkit", other)?.contains("OpenCallKit's own") == true)
    }

    /// To Swift, a slash with a combining mark behind it is no slash; to the kernel it is.
    @Test func combiningMarks() throws {
        try folder.write("key", to: ".ssh/\u{301}key")
        try #require(symlink(".ssh/\u{301}key", folder.file("book")) == 0)
        #expect(try refusal("files:~/book")?.contains(".ssh") == true)
        #expect(throws: CallError.self) { try Permission("files:~/.ssh/\u{301}key") }
        #expect(throws: CallError.self) { try Permission("files:~/../\u{301}x") }
    }

    /// A name that is no UTF-8 cannot stand in a policy, and is not there.
    @Test func namesThatAreNoText() throws {
        let name: [CChar] = Array(folder.file("b").utf8CString.dropLast()) + [-1, 0]
        try #require(mkdir(name, 0o700) == 0)
        var target: [CChar] = [CChar(UInt8(ascii: "b")), -1, 0]
        try #require(symlink(&target, folder.file("book")) == 0)
        #expect(try resources("files:~/book").missing.count == 1)
        try #require(rmdir(name) == 0)
    }

    /// The same file by a name of another mount or another case.
    @Test func otherNamesOfAPlace() throws {
        let lists = folder.file(".config/opencallkit/lists")
        try #require(rmdir(lists) == 0 && symlink("../../.ssh", lists) == 0)
        #expect(try refusal("files:xdg-config/opencallkit/lists")?.contains(".ssh") == true)
        try #require(unlink(lists) == 0 && mkdir(folder.file("mine"), 0o700) == 0)
        try #require(symlink("../../mine", lists) == 0)
        #expect(try refusal("files:xdg-config/opencallkit/lists") == nil)
        // Configurations are often links into another folder.
        try #require(rename(folder.file(".config"), folder.file("dots")) == 0)
        try #require(symlink("dots", folder.file(".config")) == 0)
        try #require(unlink(folder.file("dots/opencallkit/lists")) == 0)
        try #require(mkdir(folder.file("dots/opencallkit/lists"), 0o700) == 0)
        #expect(try resources("files:xdg-config/opencallkit/lists").files.count == 1)
        #expect(try refusal("files:~/dots/opencallkit")?.contains("OpenCallKit's own") == true)
        try folder.write("", to: "dots/opencallkit/permissions")
        #expect(try refusal("files:~/dots/opencallkit/permissions")?.contains("OpenCallKit's own") == true)
    }

    @Test func filesThatAreNoFiles() throws {
        try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(try refusal("files:~/pipe")?.contains("FIFO") == true)
    }

    @Test(arguments: [
        ("unix:/x/pulse/native", "/x/pulse", "native"), ("/x/pulse/native", "/x/pulse", "native"),
        ("{0123}unix:/x/native", "/x", "native"), ("tcp:a unix:/x/native", "/x", "native"),
    ])
    func soundServer(value: String, folder: String, name: String) {
        let server = PulseServer(environment: ["PULSE_SERVER": value])
        #expect(server == .socket(SandboxSocket(folder: folder, name: name)))
    }

    @Test func soundServerElsewhere() {
        for address in ["tcp:host:4713", "host", "unix:relative", "unix:/", "/", "unix:/native", "{x", " "] {
            #expect(PulseServer(environment: ["PULSE_SERVER": address]) == .address(address))
        }
        #expect(
            PulseServer(environment: ["PULSE_SERVER": "", "XDG_RUNTIME_DIR": "/run/user/7"])
                == .socket(SandboxSocket(folder: "/run/user/7/pulse", name: "native")))
        #expect(PulseServer(environment: ["XDG_RUNTIME_DIR": "relative"]) == nil)
    }

    /// Without the network, nobody gets at it.
    @Test func soundServerTakesTheNetwork() {
        let remote = environment.merging(["PULSE_SERVER": "tcp:sound.example"]) { $1 }
        let alone = SandboxResources(of: [.audio], environment: remote)
        #expect(alone.sound == nil && alone.refused[.audio]?.contains("tcp:sound.example") == true)
        let both = SandboxResources(of: [.audio, .network], environment: remote)
        #expect(both.sound == .address("tcp:sound.example") && both.refused.isEmpty)
    }

    /// All sockets of a folder become visible with it.
    @Test func socketInAFolderOfOthers() throws {
        for path in [
            "\(home)/run/native", "\(home)/native", "/tmp/native", "/run/native", "\(home)/.ssh/../run/native",
        ] {
            let environment = environment.merging(["PULSE_SERVER": "unix:\(path)"]) { $1 }
            let resources = try resources("audio", environment)
            #expect(resources.sound == nil && resources.refused[.audio] != nil, "\(path)")
        }
        let fine = environment.merging(["PULSE_SERVER": "unix:\(home)/run/pulse/native"]) { $1 }
        #expect(try resources("audio", fine).sound != nil)
    }

    @Test func devices() throws {
        for kind in DeviceKind.allCases {
            let resources = SandboxResources(of: [.devices(kind)], environment: environment)
            #expect(resources.devices.isEmpty == resources.missing.contains(.devices(kind)))
            #expect(resources.devices.allSatisfy { $0.hasPrefix("/dev/") })
        }
    }
}
