// swift-tools-version: 6.2
// OpenCallKit: CallKit for the Linux desktop. One list of targets for each room of the house; a room of `Sources`
// imports only from the rooms above it.

import PackageDescription

let rooms: KeyValuePairs<String, [Target]> = [
    "Sources/Ground": [
        .systemLibrary(name: "CSystem"),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        module("CSandbox"),
        module("EventLoop", uses: "CSystem HeapModule"),
        module("Files", uses: "CSystem EventLoop"),
        module("Sandbox", uses: "CSandbox EventLoop"),
        module("DBus", uses: "CDBus CSystem EventLoop DequeModule"),
    ],
    "Sources/Core": [
        module("CallModel"),
        module("CallCore", uses: "CallModel"),
        module("CallScenario", uses: "CallCore CallModel"),
    ],
    "Sources/Wire": [
        module("CallWire", uses: "CallModel DBus EventLoop"),
        module("WorkerLaunch", uses: "CallModel DBus EventLoop Files"),
    ],
    "Sources/Store": [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        module("SQLite", uses: "CSQLite"),
        module("CPhoneNumber"),
        module("CUnicode"),
        module("CVCard"),
        .systemLibrary(name: "CLibsecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        module("CSecret", uses: "CLibsecret"),
        module("Numbers", uses: "CPhoneNumber CallModel"),
        module("CallDirectory", uses: "CallModel"),
        module(
            "CallStore",
            uses: "CUnicode CallDirectory CallModel CallWire DBus EventLoop Files Logging Numbers SQLite WorkerLaunch"),
        program(
            "callkit-store",
            uses: "ArgumentParser CallModel CallStore DBus EventLoop Files Logging Numbers Sandbox WorkerLaunch"),
        program(
            "callkit-contacts",
            uses: "ArgumentParser CVCard CallModel CallWire DBus EventLoop Files Numbers Sandbox WorkerLaunch"),
        program("callkit-secrets", uses: "ArgumentParser CSecret CallModel CallWire DBus EventLoop Files"),
    ],
    "Sources/Host": [
        module("CallHost", uses: "CallCore CallModel CallScenario CallWire DBus EventLoop Files Logging WorkerLaunch"),
        program("callkitd", uses: "ArgumentParser CallHost CallModel DBus EventLoop Files Logging WorkerLaunch"),
        program("callkit-worker", uses: "CSandbox"),
    ],
    "Sources/SDK": [
        module("OpenCallKit", uses: "CallModel CallWire DBus EventLoop"),
        module("OpenCallKitPort", uses: "OpenCallKit"),
        module("CallStage", uses: "CallCore CallHost CallModel CallScenario CallWire DBus EventLoop Logging"),
        module(
            "OpenCallKitTestKit",
            uses: "CallCore CallHost CallModel CallScenario CallStage CallWire DBus EventLoop Logging OpenCallKit"),
    ],
    "Sources/Client": [
        module("CCSV"),
        module("CallClient", uses: "CallModel CallWire DBus EventLoop Files"),
        module("Certification", uses: "CallModel CallWire DBus EventLoop Files WorkerLaunch"),
        program(
            "callctl",
            uses:
                "ArgumentParser CCSV CallClient CallModel CallScenario Certification DBus EventLoop Files WorkerLaunch"
        ),
    ],
    "Sources/Desktop": [
        .systemLibrary(
            name: "CSound", pkgConfig: "libpulse", providers: [.apt(["libpulse-dev", "libsndfile1-dev"])]),
        module("Sound", uses: "CSound EventLoop Files"),
        module("DesktopAgent", uses: "CallClient CallModel DBus EventLoop Files Logging Sound"),
        program(
            "callkit-desktop", uses: "ArgumentParser CallClient CallModel DBus DesktopAgent EventLoop Logging Sound"),
    ],
    "Sources/Phone": [
        .systemLibrary(name: "CAdw", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
        module("Widgets", uses: "CAdw EventLoop"),
        program("callkit-phone", uses: "CallClient CallModel DBus EventLoop Widgets"),
    ],
    "Plugins": [
        module("MonkeyCall", excluding: "Resources", uses: "OpenCallKit"),
        module("Hotline", excluding: "Resources", uses: "OpenCallKit"),
        module("ListDirectory", excluding: "Resources", uses: "CCSV OpenCallKit"),
        module("MobileNetwork", at: "Plugins/Cellular/Network", uses: "DBus EventLoop OpenCallKit"),
        module("Cellular", excluding: "Network", "Resources", uses: "EventLoop MobileNetwork OpenCallKit"),
        module("CSIP", at: "Plugins/SIP/Engine"),
        module("SIPCalls", at: "Plugins/SIP/Calls", uses: "OpenCallKit"),
        module("SIP", excluding: "Calls", "Engine", "Resources", uses: "CSIP EventLoop OpenCallKit SIPCalls"),
    ],
    "Tests/Fixtures": [
        module("LinePipes", uses: "EventLoop"),
        module("SmallestPlugin", at: "Examples/Smallest/Sources/Smallest", uses: "OpenCallKit"),
        module("TincanPlugin", at: "Examples/Tincan/Sources/Tincan", uses: "OpenCallKit"),
        module("TutorialDirectory", uses: "OpenCallKit"),
        module("Misbehaving", uses: "OpenCallKit"),
        module("Flawed", uses: "OpenCallKit"),
        module("Surface", uses: "OpenCallKit"),
        module("CheckingProvider", uses: "OpenCallKit"),
        module("FoundationPlugin", uses: "CheckingProvider OpenCallKit"),
        module("DispatchPlugin", uses: "CheckingProvider OpenCallKit"),
        module("WorkerProbe"),
        program("Confined", uses: "CSandbox"),
        program("SurfaceApp", uses: "OpenCallKit Surface"),
        program("AppProvider", uses: "OpenCallKit"),
        program("StageProvider", uses: "CallCore CallModel CallScenario CallStage CallWire DBus EventLoop LinePipes"),
        // An iOS app's code as Swift 5 without strict settings, and the same files as Swift 6 in a new app and an extension.
        module("SeedCode", uses: "OpenCallKit"),
        module("SeedCode6", uses: "OpenCallKit"),
        module("SeedDirectory6", uses: "OpenCallKit"),
        module("Ports", uses: "OpenCallKitPort"),
        module("WalkiePlugin", uses: "OpenCallKitPort"),
        module("Ports6", uses: "OpenCallKitPort"),
    ],
    "Tests/Simulation": [
        module("CallSimulation", uses: "CallCore CallModel CallScenario"),
        program("simulator", at: "Tests/Simulation/Simulator", uses: "CallCore CallScenario CallSimulation"),
    ],
    "Benchmarks": [
        program("core-bench", at: "Benchmarks/core", uses: "CallCore CallModel"),
        program("directory-bench", at: "Benchmarks/directory", uses: "CSQLite CallDirectory CallModel"),
    ],
    "Tests/Unit": [
        module("TestSupport", uses: "EventLoop"),
        tests("HouseTests"),
        tests("EventLoopTests", of: "EventLoop TestSupport"),
        tests("FilesTests", of: "EventLoop Files TestSupport"),
        tests("DBusTests", of: "DBus EventLoop TestSupport"),
        tests("CallModelTests", of: "CallModel"),
        tests("CallCoreTests", of: "CallCore CallModel CallScenario CallSimulation"),
        tests("CallWireTests", of: "CallModel CallWire DBus TestSupport"),
        tests("WorkerLaunchTests", of: "CallModel DBus EventLoop Files TestSupport WorkerLaunch"),
        tests("NumbersTests", of: "CallModel Numbers TestSupport"),
        tests("CallDirectoryTests", of: "CallDirectory CallModel"),
        tests("SQLiteTests", of: "SQLite TestSupport"),
        tests("CallStoreTests", of: "CallHost CallModel CallStore DBus EventLoop Files Numbers SQLite TestSupport"),
        tests("SecretsTests", of: "CallModel CallWire DBus EventLoop Files TestSupport WorkerLaunch"),
        tests("CallHostTests", of: "CallHost CallModel CallStage DBus EventLoop TestSupport WorkerLaunch"),
        tests(
            "OpenCallKitTests",
            of: "CallModel CallWire DBus EventLoop Files OpenCallKit OpenCallKitTestKit TestSupport WorkerLaunch"),
        tests(
            "OpenCallKitPortTests",
            of: "OpenCallKit OpenCallKitPort OpenCallKitTestKit Ports Ports6 SeedCode SeedCode6 SeedDirectory6"),
        tests("OpenCallKitTestKitTests", of: "OpenCallKit OpenCallKitTestKit Surface"),
        tests("CertificationTests", of: "Certification EventLoop TestSupport"),
        tests("CallClientTests", of: "CallClient CallModel DBus"),
        tests("SoundTests", of: "CSound EventLoop Files Sound TestSupport"),
        tests("DesktopAgentTests", of: "CallClient CallModel DBus DesktopAgent EventLoop Sound TestSupport"),
        tests("CallctlTests", of: "ArgumentParser CallClient CallModel DBus EventLoop TestSupport callctl"),
        tests("ListDirectoryTests", of: "ListDirectory OpenCallKit"),
        tests("MobileNetworkTests", of: "DBus MobileNetwork OpenCallKit"),
        tests("SIPCallsTests", of: "OpenCallKit SIPCalls"),
    ],
    "Tests/Scenarios": [
        tests(
            "ConformanceTests",
            of: "CallCore CallModel CallScenario CallSimulation CallStage DBus EventLoop LinePipes TestSupport")
    ],
]

let package = Package(
    name: "OpenCallKit",
    products: ["OpenCallKit", "OpenCallKitPort", "OpenCallKitTestKit"].map { .library(name: $0, targets: [$0]) }
        + [.library(name: "OpenCallKitBus", targets: ["DBus", "EventLoop"])]
        + [
            "MonkeyCall", "Hotline", "ListDirectory", "Cellular", "SIP", "TutorialDirectory", "SmallestPlugin",
            "TincanPlugin", "Misbehaving", "Flawed", "Surface", "FoundationPlugin", "DispatchPlugin", "WalkiePlugin",
            "WorkerProbe",
        ].map { .library(name: $0, type: .dynamic, targets: [$0]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: rooms.flatMap(\.value),
    swiftLanguageModes: [.v6]
)

/// Plugins export their entry point and nothing else. The toolchain's linker is the same on each system; GNU ld 2.44
/// does not take the list.
let plugin = LinkerSetting.unsafeFlags([
    "-use-ld=lld", "-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/plugin.map",
])
/// What a release has is bound before it runs, so that nothing can change where its calls go, and has its relocations packed.
/// Read-only data apart from the code, as this linker has it, is in memory only where it is used.
let release = LinkerSetting.unsafeFlags(
    ["-use-ld=lld"] + ["now", "pack-relative-relocs"].flatMap { ["-Xlinker", "-z", "-Xlinker", $0] },
    .when(configuration: .release))
/// An image in C. SwiftPM would link it to the Swift runtime, which a plugin brings along; two of them do not mix.
let noRuntime = LinkerSetting.unsafeFlags(["-nostartfiles", "-static-stdlib"])
/// Debug builds compile modules as a whole, as release builds do. File by file, Swift 6.3.1 does not compile a module again
/// when a class that it uses has become larger by a struct of a third module: it writes to the wrong property then. Without
/// a number of threads the compiler refuses the names of its index files.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
    .unsafeFlags(
        ["-whole-module-optimization", "-disable-batch-mode", "-num-threads", "2"], .when(configuration: .debug)),
]
/// KContacts and Qt are where Debian puts them.
#if arch(arm64)
    let qt = "aarch64-linux-gnu/qt5"
#else
    let qt = "x86_64-linux-gnu/qt5"
#endif

for (room, targets) in rooms { targets.forEach { $0.path = $0.path ?? "\(room)/\($0.name)" } }
for target in package.targets {
    switch target.name {
    case "CCSV": target.linkerSettings = [.linkedLibrary("csv")]
    case "CPhoneNumber": target.linkerSettings = [.linkedLibrary("phonenumber")]
    case "CUnicode": target.linkerSettings = [.linkedLibrary("icuuc")]
    case "CVCard":
        target.linkerSettings = [.linkedLibrary("KF5Contacts"), .linkedLibrary("Qt5Core")]
        let headers = ["KF5/KContacts", "KF5/KContacts/kcontacts", qt, "\(qt)/QtCore", "\(qt)/QtGui"]
        target.cxxSettings = [.unsafeFlags(headers.flatMap { ["-isystem", "/usr/include/\($0)"] })]
    case "CSIP":
        target.cSettings = [.unsafeFlags(["re", "rem"].flatMap { ["-isystem", "/usr/include/\($0)"] })]
        target.linkerSettings = ["re", "rem", "opus", "spandsp", "pulse", "ssl", "crypto"].map { .linkedLibrary($0) }
    case "callkit-worker", "Confined", "WorkerProbe": target.linkerSettings = [noRuntime]
    case "SeedCode", "Ports", "WalkiePlugin": target.swiftSettings = [.swiftLanguageMode(.v5)]
    case "SeedCode6", "Ports6": target.swiftSettings = [.defaultIsolation(MainActor.self)]
    default: if target.type != .system, target.name != "SeedDirectory6" { target.swiftSettings = strict }
    }
    if target.path?.hasPrefix("Plugins/") == true {
        target.linkerSettings = (target.linkerSettings ?? []) + [plugin, release]
    }
    if target.type == .executable, target.linkerSettings == nil { target.linkerSettings = [release] }
}

func module(_ name: String, at path: String? = nil, excluding excluded: String..., uses names: String = "") -> Target {
    .target(name: name, dependencies: dependencies(names), path: path, exclude: excluded)
}

func program(_ name: String, at path: String? = nil, uses names: String = "") -> Target {
    .executableTarget(name: name, dependencies: dependencies(names), path: path)
}

func tests(_ name: String, of names: String = "") -> Target {
    .testTarget(name: name, dependencies: dependencies(names))
}

/// Targets of this package and libraries of others, by their names with a space between them.
func dependencies(_ names: String) -> [Target.Dependency] {
    let packages = [
        "ArgumentParser": "swift-argument-parser", "DequeModule": "swift-collections",
        "HeapModule": "swift-collections", "Logging": "swift-log",
    ]
    return names.split(separator: " ").map(String.init).map { name in
        packages[name].map { .product(name: name, package: $0) } ?? .target(name: name)
    }
}
