// swift-tools-version: 6.2
// OpenCallKit: CallKit for the Linux desktop. The modules are listed from the ground up; imports only point up this list.

import PackageDescription

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")

/// To load all of the C++ library takes a worker most of a millisecond. What is used of it is linked in.
let withoutCxxLibrary = ["-L", "\(Context.packageDirectory)/Plugins/linked-in", "-Xclang-linker", "-static-libgcc"]

/// SwiftPM links images without a line of Swift to the runtime as well; with these flags nothing of it remains.
let withoutSwiftRuntime: [LinkerSetting] = [.unsafeFlags(["-nostartfiles", "-static-stdlib"] + withoutCxxLibrary)]

/// What is released and has to start fast carries what it uses of the Swift runtime: a plugin is ready in less than half
/// the time, as 13 libraries need not be found, mapped and bound.
let withOwnRuntime: [LinkerSetting] = [
    .unsafeFlags(["-static-stdlib", "-use-ld=lld"] + withoutCxxLibrary, .when(configuration: .release)),
    .linkedLibrary("_FoundationCollections", .when(configuration: .release)),
    .linkedLibrary("_FoundationCShims", .when(configuration: .release)),
]

/// A plugin shows its entry and nothing else, which leaves a quarter of a megabyte less of it in memory.
let entryOnly: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/plugin.map"])
]

/// How sample providers are released. A library may leave something undefined, which they must not.
let standingAlone: [LinkerSetting] =
    entryOnly + withOwnRuntime + [
        .unsafeFlags(
            ["--no-undefined", "--script=\(Context.packageDirectory)/Plugins/plugin.ld"].flatMap { ["-Xlinker", $0] },
            .when(configuration: .release))
    ]

/// Where Debian puts the headers of Qt; pkg-config knows it too, with flags that SwiftPM warns of.
#if arch(arm64)
    let qt = "/usr/include/aarch64-linux-gnu/qt5"
#else
    let qt = "/usr/include/x86_64-linux-gnu/qt5"
#endif
let contacts = "/usr/include/KF5/KContacts"

let package = Package(
    name: "OpenCallKit",
    products: [
        .library(name: "OpenCallKit", targets: ["OpenCallKit"]),
        .library(name: "OpenCallKitTestKit", targets: ["OpenCallKitTestKit"]),
        .library(name: "MonkeyCall", type: .dynamic, targets: ["MonkeyCall"]),
        .library(name: "Hotline", type: .dynamic, targets: ["Hotline"]),
        .library(name: "ListDirectory", type: .dynamic, targets: ["ListDirectory"]),
        .library(name: "TutorialDirectory", type: .dynamic, targets: ["TutorialDirectory"]),
        .library(name: "SmallestPlugin", type: .dynamic, targets: ["SmallestPlugin"]),
        .library(name: "Misbehaving", type: .dynamic, targets: ["Misbehaving"]),
        .library(name: "Flawed", type: .dynamic, targets: ["Flawed"]),
        .library(name: "Surface", type: .dynamic, targets: ["Surface"]),
        .library(name: "WorkerProbe", type: .dynamic, targets: ["WorkerProbe"]),
        .executable(name: "callkitd", targets: ["callkitd"]),
        .executable(name: "callctl", targets: ["callctl"]),
        .executable(name: "callkit-worker", targets: ["callkit-worker"]),
        .executable(name: "callkit-store", targets: ["callkit-store"]),
        .executable(name: "callkit-contacts", targets: ["callkit-contacts"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .target(name: "EventLoop", dependencies: ["CDBus"]),
        .target(name: "DBus", dependencies: ["CDBus", "EventLoop"]),
        .target(name: "CallModel"),
        .target(name: "CallCore", dependencies: ["CallModel"]),
        .target(name: "CallDirectory", dependencies: ["CallModel"]),
        .target(name: "CallScenario", dependencies: ["CallModel", "CallCore"]),
        .target(name: "ProviderLink", dependencies: ["CallModel", "DBus", "EventLoop"]),
        .target(name: "WorkerLaunch", dependencies: ["CallModel", "DBus", "EventLoop"]),
        .target(
            name: "Certification", dependencies: ["CallModel", "DBus", "EventLoop", "ProviderLink", "WorkerLaunch"]),
        .target(
            name: "CallHost",
            dependencies: [
                "CallModel", "CallCore", "CallScenario", "DBus", "EventLoop", "ProviderLink", "WorkerLaunch", logging,
            ]),
        .target(
            name: "CallStage",
            dependencies: [
                "CallModel", "CallCore", "CallScenario", "CallHost", "DBus", "EventLoop", "ProviderLink", logging,
            ]),
        .target(name: "OpenCallKit", dependencies: ["CallModel", "DBus", "EventLoop", "ProviderLink"]),
        .target(
            name: "OpenCallKitTestKit",
            dependencies: [
                "CallCore", "CallHost", "CallModel", "CallStage", "DBus", "EventLoop", "OpenCallKit", "ProviderLink",
                logging,
            ]),
        .executableTarget(
            name: "callkitd", dependencies: ["CallHost", "CallModel", "DBus", "EventLoop", argumentParser, logging],
            linkerSettings: withOwnRuntime),
        // libphonenumber, which Swift cannot import, behind a header of C.
        .target(name: "CPhoneNumber", linkerSettings: [.linkedLibrary("phonenumber")]),
        // libcsv, whose parser calls back, behind a header of C.
        .target(name: "CCSV", linkerSettings: [.linkedLibrary("csv")]),
        .target(name: "Numbers", dependencies: ["CPhoneNumber", "CallModel"]),
        .target(
            name: "CallStore",
            dependencies: [
                "CallDirectory", "CallModel", "DBus", "EventLoop", "Numbers", "ProviderLink", "WorkerLaunch", grdb,
                logging,
            ]),
        .executableTarget(
            name: "callkit-store",
            dependencies: ["CallModel", "CallStore", "EventLoop", "Numbers", argumentParser, logging]),
        // KContacts, which reads vCards as Qt has it, behind a header of C.
        .target(
            name: "CVCard",
            cxxSettings: [
                .unsafeFlags(
                    [contacts, "\(contacts)/kcontacts", qt, "\(qt)/QtCore", "\(qt)/QtGui"].flatMap { ["-isystem", $0] })
            ],
            linkerSettings: [.linkedLibrary("KF5Contacts"), .linkedLibrary("Qt5Core")]),
        .executableTarget(
            name: "callkit-contacts",
            dependencies: ["CVCard", "CallModel", "DBus", "EventLoop", "Numbers", argumentParser]),
        .executableTarget(name: "core-bench", dependencies: ["CallModel", "CallCore"], path: "Benchmarks/core"),
        .executableTarget(
            name: "callctl",
            dependencies: [
                "CCSV", "CallModel", "CallScenario", "Certification", "DBus", "EventLoop", "WorkerLaunch",
                argumentParser,
            ]),
        // Without a Swift runtime: a plugin brings its own, and two do not mix.
        .executableTarget(name: "callkit-worker", linkerSettings: withoutSwiftRuntime),
        .target(
            name: "MonkeyCall", dependencies: ["OpenCallKit"], path: "Plugins/MonkeyCall", exclude: ["Resources"],
            linkerSettings: standingAlone),
        .target(
            name: "Hotline", dependencies: ["OpenCallKit"], path: "Plugins/Hotline", exclude: ["Resources"],
            linkerSettings: standingAlone),
        .target(
            name: "ListDirectory", dependencies: ["CCSV", "OpenCallKit"], path: "Plugins/ListDirectory",
            linkerSettings: entryOnly),
        .target(name: "LinePipes", dependencies: ["EventLoop"], path: "Tests/LinePipes"),
        .target(name: "TestSupport", dependencies: ["EventLoop"], path: "Tests/TestSupport"),
        .target(name: "SmallestPlugin", dependencies: ["OpenCallKit"], path: "Examples/Smallest/Sources/Smallest"),
        .target(
            name: "TutorialDirectory", dependencies: ["OpenCallKit"], path: "Tests/Fixtures/TutorialDirectory"),
        .target(name: "Misbehaving", dependencies: ["OpenCallKit"], path: "Tests/Fixtures/Misbehaving"),
        .target(name: "Flawed", dependencies: ["OpenCallKit"], path: "Tests/Fixtures/Flawed"),
        .target(name: "WorkerProbe", path: "Tests/Fixtures/WorkerProbe", linkerSettings: withoutSwiftRuntime),
        .target(name: "Surface", dependencies: ["OpenCallKit"], path: "Tests/Fixtures/Surface"),
        .executableTarget(
            name: "SurfaceApp", dependencies: ["OpenCallKit", "Surface"], path: "Tests/Fixtures/SurfaceApp"),
        .executableTarget(name: "AppProvider", dependencies: ["OpenCallKit"], path: "Tests/Fixtures/AppProvider"),
        .executableTarget(
            name: "StageProvider",
            dependencies: ["CallCore", "CallModel", "CallStage", "DBus", "EventLoop", "LinePipes", "ProviderLink"],
            path: "Tests/Fixtures/StageProvider"),
        // Code as it is written for telephones: Swift 5, no strict settings.
        .target(
            name: "SeedCode", dependencies: ["OpenCallKit"], path: "Tests/SeedCode",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // The same files as Swift 6, with the settings of a new app and of an extension.
        .target(
            name: "SeedCode6", dependencies: ["OpenCallKit"], path: "Tests/SeedCode6",
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .target(name: "SeedDirectory6", dependencies: ["OpenCallKit"], path: "Tests/SeedDirectory6"),
        .testTarget(name: "HouseTests"),
        .testTarget(
            name: "CallHostTests", dependencies: ["CallHost", "CallModel", "EventLoop"]),
        .testTarget(name: "ProviderLinkTests", dependencies: ["CallModel", "DBus", "ProviderLink"]),
        .testTarget(
            name: "OpenCallKitTests",
            dependencies: [
                "CallModel", "DBus", "EventLoop", "OpenCallKit", "OpenCallKitTestKit", "ProviderLink", "SeedCode",
                "SeedCode6",
                "SeedDirectory6",
                "TestSupport",
            ]),
        .testTarget(name: "OpenCallKitTestKitTests", dependencies: ["OpenCallKit", "OpenCallKitTestKit", "Surface"]),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "TestSupport"]),
        .target(
            name: "CallSimulation", dependencies: ["CallCore", "CallModel", "CallScenario"],
            path: "Tests/CallSimulation"),
        .executableTarget(
            name: "simulator", dependencies: ["CallCore", "CallModel", "CallScenario", "CallSimulation"],
            path: "Tests/Simulator"),
        .testTarget(name: "CallCoreTests", dependencies: ["CallCore", "CallModel", "CallScenario", "CallSimulation"]),
        .testTarget(name: "CertificationTests", dependencies: ["Certification", "EventLoop", "TestSupport"]),
        .testTarget(
            name: "WorkerLaunchTests",
            dependencies: ["CallModel", "DBus", "EventLoop", "TestSupport", "WorkerLaunch"]),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "CallModel", "CallCore", "CallScenario", "CallStage", "DBus", "EventLoop", "LinePipes", "TestSupport",
            ]),
        .testTarget(name: "ListDirectoryTests", dependencies: ["ListDirectory", "OpenCallKit"]),
        .testTarget(name: "CallDirectoryTests", dependencies: ["CallDirectory", "CallModel"]),
        .testTarget(
            name: "CallStoreTests",
            dependencies: ["CallHost", "CallModel", "CallStore", "DBus", "EventLoop", "Numbers", "TestSupport", grdb]),
        .testTarget(name: "NumbersTests", dependencies: ["CallModel", "Numbers"]),
        .testTarget(name: "DBusTests", dependencies: ["DBus", "EventLoop", "TestSupport"]),
        .testTarget(
            name: "CallctlTests",
            dependencies: ["callctl", "CallModel", "DBus", "EventLoop", "TestSupport", argumentParser]),
    ],
    swiftLanguageModes: [.v6]
)

let lenientTargets: Set = [
    "CDBus", "CPhoneNumber", "CVCard", "CCSV", "callkit-worker", "SeedCode", "SeedCode6", "SeedDirectory6",
    "WorkerProbe",
]
for target in package.targets where !lenientTargets.contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ]
}
