// swift-tools-version: 6.2
// The core by itself, with its tests: builds in seconds, depends on nothing, and can be copied to plant faults in it.

import PackageDescription

let package = Package(
    name: "Core",
    targets: [
        .target(name: "CallModel"),
        .target(name: "CallCore", dependencies: ["CallModel"]),
        .target(name: "CallScenario", dependencies: ["CallModel", "CallCore"]),
        .target(
            name: "CallSimulation", dependencies: ["CallCore", "CallModel", "CallScenario"],
            path: "Tests/CallSimulation"),
        .executableTarget(
            name: "simulator", dependencies: ["CallCore", "CallModel", "CallScenario", "CallSimulation"],
            path: "Tests/Simulator"),
        .testTarget(name: "CallCoreTests", dependencies: ["CallCore", "CallModel", "CallScenario", "CallSimulation"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ]
}
