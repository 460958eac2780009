// swift-tools-version: 6.2
// OpenCallKit: CallKit for the Linux desktop. One list of targets for each room of the house; a room imports only from the
// rooms above it.

import PackageDescription

// MARK: Sources, room by room

let ground = [
    Target.systemLibrary(
        name: "CDBus", path: "Sources/Ground/CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    module("EventLoop", in: "Ground", uses: "CDBus"),
    module("DBus", in: "Ground", uses: "CDBus", "EventLoop"),
]

let core = [
    module("CallModel", in: "Core"),
    module("CallCore", in: "Core", uses: "CallModel"),
    module("CallScenario", in: "Core", uses: "CallModel", "CallCore"),
]

let wire = [
    module("CallWire", in: "Wire", uses: "CallModel", "DBus", "EventLoop"),
    module("WorkerLaunch", in: "Wire", uses: "CallModel", "DBus", "EventLoop"),
]

let store = [
    module("CPhoneNumber", in: "Store"),
    module("CVCard", in: "Store"),
    module("Numbers", in: "Store", uses: "CPhoneNumber", "CallModel"),
    module("CallDirectory", in: "Store", uses: "CallModel"),
    module(
        "CallStore", in: "Store",
        uses: "CallDirectory", "CallModel", "CallWire", "DBus", "EventLoop", "GRDB", "Logging", "Numbers",
        "WorkerLaunch"),
    program(
        "callkit-store", in: "Store", uses: "ArgumentParser", "CallModel", "CallStore", "EventLoop", "Logging",
        "Numbers"),
    program(
        "callkit-contacts", in: "Store", uses: "ArgumentParser", "CVCard", "CallModel", "DBus", "EventLoop", "Numbers"),
]

let host = [
    module(
        "CallHost", in: "Host",
        uses: "CallCore", "CallModel", "CallScenario", "CallWire", "DBus", "EventLoop", "Logging", "WorkerLaunch"),
    program("callkitd", in: "Host", uses: "ArgumentParser", "CallHost", "CallModel", "DBus", "EventLoop", "Logging"),
    program("callkit-worker", in: "Host"),
]

let sdk = [
    module("OpenCallKit", in: "SDK", uses: "CallModel", "CallWire", "DBus", "EventLoop"),
    module(
        "CallStage", in: "SDK",
        uses: "CallCore", "CallHost", "CallModel", "CallScenario", "CallWire", "DBus", "EventLoop", "Logging"),
    module(
        "OpenCallKitTestKit", in: "SDK",
        uses: "CallCore", "CallHost", "CallModel", "CallStage", "CallWire", "DBus", "EventLoop", "Logging",
        "OpenCallKit"),
]

let client = [
    module("CCSV", in: "Client"),
    module("Certification", in: "Client", uses: "CallModel", "CallWire", "DBus", "EventLoop", "WorkerLaunch"),
    program(
        "callctl", in: "Client",
        uses: "ArgumentParser", "CCSV", "CallModel", "CallScenario", "Certification", "DBus", "EventLoop",
        "WorkerLaunch"),
]

// MARK: Plugins, tests and measurements

let plugins = [
    target("MonkeyCall", at: "Plugins/MonkeyCall", excluding: "Resources", uses: "OpenCallKit"),
    target("Hotline", at: "Plugins/Hotline", excluding: "Resources", uses: "OpenCallKit"),
    target("ListDirectory", at: "Plugins/ListDirectory", uses: "CCSV", "OpenCallKit"),
]

let fixtures = [
    target("LinePipes", at: "Tests/Fixtures/LinePipes", uses: "EventLoop"),
    target("TestSupport", at: "Tests/Unit/TestSupport", uses: "EventLoop"),
    target("SmallestPlugin", at: "Examples/Smallest/Sources/Smallest", uses: "OpenCallKit"),
    target("TutorialDirectory", at: "Tests/Fixtures/TutorialDirectory", uses: "OpenCallKit"),
    target("Misbehaving", at: "Tests/Fixtures/Misbehaving", uses: "OpenCallKit"),
    target("Flawed", at: "Tests/Fixtures/Flawed", uses: "OpenCallKit"),
    target("Surface", at: "Tests/Fixtures/Surface", uses: "OpenCallKit"),
    target("WorkerProbe", at: "Tests/Fixtures/WorkerProbe"),
    program("SurfaceApp", at: "Tests/Fixtures/SurfaceApp", uses: "OpenCallKit", "Surface"),
    program("AppProvider", at: "Tests/Fixtures/AppProvider", uses: "OpenCallKit"),
    program(
        "StageProvider", at: "Tests/Fixtures/StageProvider",
        uses: "CallCore", "CallModel", "CallStage", "CallWire", "DBus", "EventLoop", "LinePipes"),
    // An iOS app's code as Swift 5 without strict settings, and the same files as Swift 6 in a new app and an extension.
    target("SeedCode", at: "Tests/Fixtures/SeedCode", uses: "OpenCallKit"),
    target("SeedCode6", at: "Tests/Fixtures/SeedCode6", uses: "OpenCallKit"),
    target("SeedDirectory6", at: "Tests/Fixtures/SeedDirectory6", uses: "OpenCallKit"),
]

let simulation = [
    target("CallSimulation", at: "Tests/Simulation/CallSimulation", uses: "CallCore", "CallModel", "CallScenario"),
    program("simulator", at: "Tests/Simulation/Simulator", uses: "CallCore", "CallScenario", "CallSimulation"),
]

let benchmarks = [
    program("core-bench", at: "Benchmarks/core", uses: "CallModel", "CallCore"),
    Target.systemLibrary(name: "CSQLite", path: "Benchmarks/CSQLite", pkgConfig: "sqlite3"),
    program("directory-bench", at: "Benchmarks/directory", uses: "CSQLite", "CallDirectory", "CallModel"),
]

let testTargets = [
    tests("HouseTests"),
    tests("EventLoopTests", of: "EventLoop", "TestSupport"),
    tests("DBusTests", of: "DBus", "EventLoop", "TestSupport"),
    tests("CallCoreTests", of: "CallCore", "CallModel", "CallScenario", "CallSimulation"),
    tests("CallWireTests", of: "CallModel", "CallWire", "DBus"),
    tests("WorkerLaunchTests", of: "CallModel", "DBus", "EventLoop", "TestSupport", "WorkerLaunch"),
    tests("NumbersTests", of: "CallModel", "Numbers"),
    tests("CallDirectoryTests", of: "CallDirectory", "CallModel"),
    tests(
        "CallStoreTests",
        of: "CallHost", "CallModel", "CallStore", "DBus", "EventLoop", "GRDB", "Numbers", "TestSupport"),
    tests("CallHostTests", of: "CallHost", "CallModel", "EventLoop"),
    tests(
        "OpenCallKitTests",
        of: "CallModel", "CallWire", "DBus", "EventLoop", "OpenCallKit", "OpenCallKitTestKit", "SeedCode", "SeedCode6",
        "SeedDirectory6", "TestSupport"),
    tests("OpenCallKitTestKitTests", of: "OpenCallKit", "OpenCallKitTestKit", "Surface"),
    tests("CertificationTests", of: "Certification", "EventLoop", "TestSupport"),
    tests("CallctlTests", of: "ArgumentParser", "CallModel", "DBus", "EventLoop", "TestSupport", "callctl"),
    tests("ListDirectoryTests", of: "ListDirectory", "OpenCallKit"),
    tests(
        "ConformanceTests", at: "Tests/Scenarios/ConformanceTests",
        of: "CallCore", "CallModel", "CallScenario", "CallSimulation", "CallStage", "DBus", "EventLoop", "LinePipes",
        "TestSupport"),
]

let package = Package(
    name: "OpenCallKit",
    products: ["OpenCallKit", "OpenCallKitTestKit"].map { .library(name: $0, targets: [$0]) }
        + [
            "MonkeyCall", "Hotline", "ListDirectory", "TutorialDirectory", "SmallestPlugin", "Misbehaving", "Flawed",
            "Surface", "WorkerProbe",
        ].map { .library(name: $0, type: .dynamic, targets: [$0]) }
        + ["callkitd", "callctl", "callkit-worker", "callkit-store", "callkit-contacts"].map {
            .executable(name: $0, targets: [$0])
        },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: ground + core + wire + store + host + sdk + client + plugins + fixtures + simulation + benchmarks
        + testTargets,
    swiftLanguageModes: [.v6]
)

// MARK: Flags

/// Plugins export their entry point and nothing else.
let plugin = LinkerSetting.unsafeFlags([
    "-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/plugin.map",
])
/// A released daemon or plugin carries the parts of the Swift runtime that it uses: it starts in half the time.
let ownRuntime: [LinkerSetting] = [
    .unsafeFlags(["-static-stdlib", "-use-ld=lld"], .when(configuration: .release)),
    .linkedLibrary("_FoundationCollections", .when(configuration: .release)),
    .linkedLibrary("_FoundationCShims", .when(configuration: .release)),
]
/// An image in C. SwiftPM would link it to the Swift runtime, which a plugin brings along; two of them do not mix.
let noRuntime = LinkerSetting.unsafeFlags(["-nostartfiles", "-static-stdlib"])
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]
let cTargets: Set = ["CCSV", "CPhoneNumber", "CVCard", "callkit-worker", "WorkerProbe"]
/// KContacts and Qt are where Debian puts them.
#if arch(arm64)
    let qt = "/usr/include/aarch64-linux-gnu/qt5"
#else
    let qt = "/usr/include/x86_64-linux-gnu/qt5"
#endif
let contacts = "/usr/include/KF5/KContacts"

for target in package.targets {
    switch target.name {
    case "CCSV": target.linkerSettings = [.linkedLibrary("csv")]
    case "CPhoneNumber": target.linkerSettings = [.linkedLibrary("phonenumber")]
    case "CVCard":
        target.linkerSettings = [.linkedLibrary("KF5Contacts"), .linkedLibrary("Qt5Core")]
        let headers = [contacts, "\(contacts)/kcontacts", qt, "\(qt)/QtCore", "\(qt)/QtGui"]
        target.cxxSettings = [.unsafeFlags(headers.flatMap { ["-isystem", $0] })]
    case "ListDirectory": target.linkerSettings = [plugin]
    case "MonkeyCall", "Hotline": target.linkerSettings = [plugin] + ownRuntime
    case "callkitd": target.linkerSettings = ownRuntime
    case "callkit-worker", "WorkerProbe": target.linkerSettings = [noRuntime]
    default: break
    }
    switch target.name {
    case "SeedCode": target.swiftSettings = [.swiftLanguageMode(.v5)]
    case "SeedCode6": target.swiftSettings = [.defaultIsolation(MainActor.self)]
    case "SeedDirectory6": break
    case let name where target.type != .system && !cTargets.contains(name): target.swiftSettings = strict
    default: break
    }
}

// MARK: Helpers

/// Our targets by their names, and libraries from elsewhere by theirs.
func dependencies(_ names: [String]) -> [Target.Dependency] {
    let packages = ["ArgumentParser": "swift-argument-parser", "Logging": "swift-log", "GRDB": "GRDB.swift"]
    return names.map { name in packages[name].map { .product(name: name, package: $0) } ?? .target(name: name) }
}

func module(_ name: String, in room: String, uses names: String...) -> Target {
    .target(name: name, dependencies: dependencies(names), path: "Sources/\(room)/\(name)")
}

func program(_ name: String, in room: String, uses names: String...) -> Target {
    .executableTarget(name: name, dependencies: dependencies(names), path: "Sources/\(room)/\(name)")
}

func target(_ name: String, at path: String, excluding excluded: String..., uses names: String...) -> Target {
    .target(name: name, dependencies: dependencies(names), path: path, exclude: excluded)
}

func program(_ name: String, at path: String, uses names: String...) -> Target {
    .executableTarget(name: name, dependencies: dependencies(names), path: path)
}

func tests(_ name: String, at path: String? = nil, of names: String...) -> Target {
    .testTarget(name: name, dependencies: dependencies(names), path: path ?? "Tests/Unit/\(name)")
}
