// swift-tools-version: 6.2
// The call directory by itself, with its tests, its benchmark and its fuzzers: builds in seconds and depends on nothing.

import PackageDescription

let package = Package(
    name: "Directory",
    targets: [
        .target(name: "CallModel"),
        .target(name: "CallDirectory", dependencies: ["CallModel"]),
        .systemLibrary(name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3"),
        .executableTarget(name: "directory-bench", dependencies: ["CallDirectory", "CallModel", "CSQLite"]),
        .testTarget(name: "CallDirectoryTests", dependencies: ["CallDirectory", "CallModel"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "CSQLite" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ]
}
