// The text that a worker is handed, for every permission and for names that no line can have.

import CallModel
import EventLoop
import Files
import Glibc
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite struct SandboxPolicyTests {
    private static let plugin = SandboxedPlugin(
        library: "/opt/phone/Phone.callplugin/Phone.so", bundle: "/opt/phone/Phone.callplugin", runPath: "")
    private static let storage = PluginStorage(state: "/home/u/.local/state/p", cache: "/home/u/.cache/p")
    private static let home = [
        "HOME": "/home/u", "XDG_RUNTIME_DIR": "/run/user/7", "SECRET": "x", "LANG": "sv_SE.UTF-8",
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/run/dbus/system_bus_socket", "SSL_CERT_FILE": "/etc/mine.pem",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/7/bus", "OPENCALLKIT_TEST": "1",
    ]

    private func policy(
        of plugin: SandboxedPlugin = plugin, as part: PluginPart = .provider, _ granted: Set<Permission> = [],
        storage: PluginStorage = storage, resources: SandboxResources? = nil, environment: [String: String] = home,
        worker: String = "/usr/libexec/opencallkit/callkit-worker", demand: SandboxLevel = .landlock,
        kernel: SimulatedKernel = SimulatedKernel()
    ) throws -> SandboxPolicy {
        try SandboxPolicy(
            for: plugin, as: part, granted: granted, storage: storage,
            resources: resources ?? SandboxResources(of: granted, environment: environment), environment: environment,
            worker: worker, demand: demand, kernel: kernel)
    }

    private func lines(_ policy: SandboxPolicy) -> [String] {
        String(decoding: policy.text, as: UTF8.self).split(separator: "\n").map {
            String($0.replacing("\t", with: " "))
        }
    }

    private static let always = [
        "read /usr/libexec/opencallkit", "read /opt/phone/Phone.callplugin", "write /home/u/.local/state/p",
        "write /home/u/.cache/p",
    ]

    @Test func nothingGranted() throws {
        let policy = try policy()
        #expect(lines(policy) == ["demand landlock"] + Self.always)
        #expect(policy.text.last == UInt8(ascii: "\n"))
        #expect(
            policy.environment == [
                "HOME": "/home/u/.local/state/p", "CFFIXED_USER_HOME": "/home/u/.local/state/p",
                "TMPDIR": "/home/u/.cache/p/tmp", "XDG_CACHE_HOME": "/home/u/.cache/p",
                "XDG_CONFIG_HOME": "/home/u/.local/state/p/.config",
                "XDG_DATA_HOME": "/home/u/.local/state/p/.local/share",
                "XDG_STATE_HOME": "/home/u/.local/state/p/.local/state", "LANG": "sv_SE.UTF-8",
                "OPENCALLKIT_TEST": "1", "SWIFT_BACKTRACE": "enable=no", "DBUS_FATAL_WARNINGS": "0",
                "LD_LIBRARY_PATH": "/opt/phone/Phone.callplugin",
            ])
    }

    @Test func network() throws {
        let policy = try policy([.network])
        #expect(lines(policy) == ["demand landlock"] + Self.always + ["network", "read /etc/mine.pem"])
        #expect(policy.environment["SSL_CERT_FILE"] == "/etc/mine.pem")
    }

    @Test func audio() throws {
        #expect(
            try lines(policy([.audio])).suffix(3) == [
                "socket /run/user/7/pulse /run/opencallkit/pulse native",
                "environment PULSE_SERVER unix:/run/opencallkit/pulse/native",
                "environment-at-landlock PULSE_SERVER unix:/run/user/7/pulse/native",
            ])
        let remote = Self.home.merging(["PULSE_SERVER": "tcp:sound.example"]) { $1 }
        let policy = try policy([.audio, .network], environment: remote)
        #expect(lines(policy).contains("environment PULSE_SERVER tcp:sound.example"))
        #expect(!lines(policy).contains { $0.hasPrefix("socket") })
        #expect(policy.environment["PULSE_SERVER"] == nil)
    }

    @Test func cookie() throws {
        let home = try TemporaryFolder()
        let path = try FileStatus.resolve(home.path)
        for name in [".config", ".config/pulse"] { try #require(mkdir(home.file(name), 0o700) == 0) }
        try home.write("cookie", to: ".config/pulse/cookie")
        let policy = try policy([.audio], environment: ["HOME": path, "PULSE_SERVER": "/x/pulse/native"])
        let cookie = "\(path)/.config/pulse/cookie"
        #expect(lines(policy).suffix(2) == ["read \(cookie)", "environment PULSE_COOKIE \(cookie)"])
    }

    /// Whatever was granted, the worker takes as many paths.
    @Test func bounds() throws {
        let all = Set((0..<32).map { Permission.files("~/\($0)") } + DeviceKind.allCases.map { .devices($0) })
        #expect(SandboxResources(of: all, environment: Self.home).devices.count <= 33)
    }

    @Test func buses() throws {
        let granted: Set<Permission> = [.sessionBus("org.a.b"), .systemBus("org.a.b"), .systemBus("org.a.c")]
        var resources = SandboxResources(of: granted, environment: Self.home)
        #expect(try lines(policy(granted, resources: resources)) == ["demand landlock"] + Self.always)
        resources.sessionBus = SandboxSocket(folder: "/run/user/7/x y,ä", name: "bus")
        resources.systemBus = SandboxSocket(folder: "/run/user/7/y", name: "bus")
        #expect(
            try lines(policy(granted, resources: resources)).suffix(6) == [
                "socket /run/user/7/x y,ä /run/opencallkit/session-bus bus",
                "environment DBUS_SESSION_BUS_ADDRESS unix:path=/run/opencallkit/session-bus/bus",
                "environment-at-landlock DBUS_SESSION_BUS_ADDRESS unix:path=/run/user/7/x%20y%2c%c3%a4/bus",
                "socket /run/user/7/y /run/opencallkit/system-bus bus",
                "environment DBUS_SYSTEM_BUS_ADDRESS unix:path=/run/opencallkit/system-bus/bus",
                "environment-at-landlock DBUS_SYSTEM_BUS_ADDRESS unix:path=/run/user/7/y/bus",
            ])
        // A socket that nobody was granted is no line.
        #expect(try lines(policy([.network], resources: resources)).contains { $0.hasPrefix("socket") } == false)
    }

    @Test func devicesAndFiles() throws {
        let home = try TemporaryFolder()
        try #require(mkdir(home.file("real"), 0o700) == 0 && symlink("real", home.file("link")) == 0)
        let path = try FileStatus.resolve(home.path)
        var environment = Self.home
        environment["HOME"] = path
        let granted: Set<Permission> = [.files("~/real"), .files("~/link"), .files("~/missing")]
        let policy = try policy(granted, environment: environment)
        #expect(lines(policy).suffix(2) == ["read \(path)/real \(path)/link", "read \(path)/real"])
        #expect(policy.environment["OPENCALLKIT_USER_HOME"] == path)
    }

    @Test func directoriesGetFilesAlone() throws {
        let all: Set<Permission> = [.network, .audio, .sessionBus("org.a.b"), .devices(.sound), .files("xdg-music")]
        var resources = SandboxResources(of: all, environment: Self.home)
        resources.sessionBus = SandboxSocket(folder: "/run/user/7/x", name: "bus")
        let policy = try policy(as: .directory, all, resources: resources)
        let lines = lines(policy)
        #expect(policy.environment["TMPDIR"] == "/home/u/.cache/p/tmp-directory")
        #expect(lines == ["demand landlock"] + Self.always)
    }

    @Test func unconfined() throws {
        let policy = try policy([.network, .audio], demand: .none)
        #expect(lines(policy) == ["demand none"])
        #expect(policy.environment["XDG_RUNTIME_DIR"] == "/run/user/7")
        #expect(policy.environment["HOME"] == "/home/u/.local/state/p")
        #expect(policy.environment["SECRET"] == nil)
    }

    @Test func kernel() throws {
        let kernel = SimulatedKernel(without: [.namespaces, .landlock], landlockABI: 3)
        let lines = try self.lines(policy(kernel: kernel))
        #expect(lines.prefix(4) == ["demand landlock", "without landlock", "without namespaces", "landlock-abi 3"])
    }

    /// A library alone shows its folder, unless that is one with all that the user has.
    @Test(arguments: [
        ("/srv/plugins/A.so", "read /srv/plugins"), ("/home/u/A.so", "read /home/u/A.so"), ("/A.so", "read /A.so"),
        ("/home/A.so", "read /home/A.so"), ("/tmp/A.so", "read /tmp/A.so"), ("/run/A.so", "read /run/A.so"),
        ("/home/u/.config/A.so", "read /home/u/.config/A.so"),
        ("/home/u/build/A.so", "read /home/u/build"),
    ])
    func libraryAlone(library: String, line: String) throws {
        let plugin = SandboxedPlugin(library: library, bundle: "", runPath: "")
        #expect(try lines(policy(of: plugin))[2] == line)
    }

    /// The library says where its Swift runtime lies. It is believed where there is one, and nothing else is shown.
    @Test func runtimeFolders() throws {
        let folder = try TemporaryFolder()
        let path = try FileStatus.resolve(folder.path)
        for name in ["swift", "keys", "link"] { try #require(mkdir(folder.file(name), 0o700) == 0) }
        try folder.write("", to: "swift/libswiftCore.so")
        try folder.write("", to: "libswiftCore.so")
        let runPath = "$ORIGIN:\(path)/swift:\(path)/keys:\(path)/keys/../swift:swift::/nonexistent:/:\(path)"
        let plugin = SandboxedPlugin(library: "/opt/phone/Phone.so", bundle: "/opt/phone", runPath: runPath)
        let home = Self.home.merging(["HOME": path]) { $1 }
        let read = try lines(policy(of: plugin, environment: home)).filter { $0.hasPrefix("read") }
        #expect(read == ["read /usr/libexec/opencallkit", "read \(path)/swift", "read /opt/phone"])
    }

    /// What the plugin can write to is never shown by a name of the library's: by the time the worker opens it, it may
    /// be a link to anything.
    @Test func runtimeFoldersOfThePluginItself() throws {
        let folder = try TemporaryFolder()
        let path = try FileStatus.resolve(folder.path)
        let home = Self.home.merging(["HOME": path]) { $1 }
        let storage = try #require(PluginStorage(id: "Phone", environment: home))
        for name in ["\(storage.state)/swift", "\(path)/swift"] {
            try FileWriter.makeFolder(name)
            try FileWriter.replace("\(name)/libswiftCore.so", with: [])
        }
        for (name, target) in [("mine", "\(storage.state)/swift"), ("toolchain", "\(path)/swift")] {
            try #require(symlink(target, "\(path)/\(name)") == 0)
        }
        let runPath = "\(storage.state)/swift:\(path)/mine:\(path)/toolchain"
        let plugin = SandboxedPlugin(library: "/opt/phone/Phone.so", bundle: "/opt/phone", runPath: runPath)
        let read = try lines(policy(of: plugin, environment: home)).filter { $0.hasPrefix("read") }
        #expect(
            read == ["read /usr/libexec/opencallkit", "read \(path)/swift \(path)/toolchain", "read /opt/phone"])
    }

    @Test(arguments: ["/opt/a\tb", "/opt/a\nread\t/x", "/opt/a\0b"])
    func namesThatNoLineCanHave(name: String) {
        func refused(_ body: () throws -> SandboxPolicy) {
            do {
                _ = try body()
                Issue.record("accepted")
            } catch let error as CallError {
                #expect(error.code == .notSupported && error.message.contains("cannot stand in the policy"))
            } catch {
                Issue.record("\(error)")
            }
        }
        refused { try policy(of: SandboxedPlugin(library: "\(name)/A.so", bundle: name, runPath: "")) }
        refused { try policy(storage: PluginStorage(state: name, cache: "/x")) }
        refused { try policy(storage: PluginStorage(state: "/x", cache: name)) }
        refused { try policy(worker: "\(name)/callkit-worker") }
        refused { try policy([.network], environment: Self.home.merging(["SSL_CERT_FILE": name]) { $1 }) }
        refused { try policy([.audio], environment: Self.home.merging(["XDG_RUNTIME_DIR": name]) { $1 }) }
        refused {
            try policy([.audio, .network], environment: Self.home.merging(["PULSE_SERVER": "tcp:\(name)"]) { $1 })
        }
    }

    @Test func tooLong() throws {
        let name = "/" + String(repeating: "x", count: SandboxPolicy.maximumSize)
        do {
            _ = try policy(storage: PluginStorage(state: name, cache: "/x"))
            Issue.record("accepted")
        } catch let error as CallError {
            #expect(error.code == .limitsExceeded && error.message.contains("65536"))
        }
        // The longest names that files can have leave room.
        let longest = "/" + String(repeating: "x", count: 4_094)
        _ = try policy(storage: PluginStorage(state: longest, cache: longest))
    }

    /// The same values make the same policy, and what differs is seen.
    @Test func equality() throws {
        #expect(try policy([.network, .audio]) == policy([.audio, .network]))
        #expect(try policy([.network]) != policy([.audio]))
    }
}
