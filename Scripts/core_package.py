"""A package of the core and its simulator alone, without the dependencies of the rest."""

import os
import shutil

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGETS = [  # name, folder, dependencies
    ("CallModel", "Sources/Core/CallModel", []),
    ("CallCore", "Sources/Core/CallCore", ["CallModel"]),
    ("CallScenario", "Sources/Core/CallScenario", ["CallModel", "CallCore"]),
    ("CallSimulation", "Tests/Simulation/CallSimulation", ["CallModel", "CallCore", "CallScenario"]),
    ("simulator", "Tests/Simulation/Simulator", ["CallModel", "CallCore", "CallScenario", "CallSimulation"]),
]
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let package = Package(name: "OpenCallKit", targets: [
TARGETS], swiftLanguageModes: [.v6])
"""


def write(folder):
    """Makes the package in a folder, with copies of the sources, and returns the folder of CallCore."""
    shutil.rmtree(folder, ignore_errors=True)
    targets = ""
    for name, path, dependencies in TARGETS:
        shutil.copytree(os.path.join(ROOT, path), os.path.join(folder, path))
        kind = "executableTarget" if name == "simulator" else "target"
        names = ", ".join(f'"{dependency}"' for dependency in dependencies)
        targets += f'    .{kind}(name: "{name}", dependencies: [{names}], path: "{path}", swiftSettings: settings),\n'
    with open(os.path.join(folder, "Package.swift"), "w", encoding="utf-8") as file:
        file.write(MANIFEST.replace("TARGETS", targets))
    return os.path.join(folder, "Sources", "Core", "CallCore")
