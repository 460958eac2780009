"""Writes the SDK as a package that a plugin depends on by its path: sdk.py FOLDER

The package has the modules of the products below and what they import, with a manifest that is made of the project's, the
packages of others that they need, as the project was built with them, and the template of a plugin: to build with it takes
no network.
"""

import re
import shutil
import sys
from pathlib import Path

PRODUCTS = ["OpenCallKit", "OpenCallKitPort", "OpenCallKitTestKit"]
HERE = Path(__file__).resolve().parent.parent


def targets(manifest):
    """The targets of each room: {room: {name: text}}."""
    rooms = {}
    body = manifest[manifest.index("let rooms:"):manifest.index("\n]\n")]
    for room, text in re.findall(r'\n    "([^"]+)": \[\n(.*?)\n    \],', body + "\n    ],", re.S):
        found = rooms[room] = {}
        for entry in re.findall(r"^        (?:module|program|tests|\.systemLibrary)\(.*?\),?$(?=\n        [a-z./]|\Z)", text,
                                re.S | re.M):
            found[re.search(r'"([^"]+)"', entry).group(1)] = entry
    return rooms


def closure(rooms):
    """The names of the targets that the products need."""
    texts = {name: text for room in rooms.values() for name, text in room.items()}
    needed, new = set(), list(PRODUCTS)
    while new:
        name = new.pop()
        if name not in texts or name in needed:
            continue
        needed.add(name)
        used = re.search(r'uses:\s*"([^"]*)"', texts[name])
        new += used.group(1).split() if used else []
    return needed


def main(folder):
    manifest = (HERE / "Package.swift").read_text(encoding="utf-8")
    rooms = targets(manifest)
    needed = closure(rooms)
    shutil.rmtree(folder, ignore_errors=True)
    kept = []
    for room, found in rooms.items():
        names = [name for name in found if name in needed]
        if names:
            kept.append(f'    "{room}": [\n' + "\n".join(found[name].rstrip(",") + "," for name in names) + "\n    ],")
        for name in names:
            shutil.copytree(HERE / room / name, folder / room / name, ignore=shutil.ignore_patterns("*.docc"))
    shutil.copytree(HERE / "Examples/Template", folder / "Template", ignore=shutil.ignore_patterns(".build", "Package.resolved"))
    start = manifest.index("let rooms:")
    first = manifest[start:manifest.index("\n", start)]
    last = manifest[manifest.index("func module("):]
    products = ", ".join(f'"{name}"' for name in PRODUCTS)
    used = " ".join(kept)
    packages = dict(re.findall(r'"(\w+)": "([\w.-]+)"', manifest[manifest.index("let packages ="):]))
    wanted = {package for product, package in packages.items() if re.search(rf"\b{product}\b", used)}
    for name in wanted:
        package = HERE / ".build/checkouts" / name
        copy = folder / "Packages" / name
        shutil.copytree(package / "Sources", copy / "Sources")
        for file in [*package.glob("Package*.swift"), *package.glob("LICENSE*"), *package.glob("NOTICE*")]:
            shutil.copy(file, copy)
    dependencies = "\n".join(f'        .package(path: "Packages/{name}"),' for name in sorted(wanted))
    text = manifest[:start] + first + "\n" + "\n".join(kept) + f"""
]

for (room, targets) in rooms {{ targets.forEach {{ $0.path = $0.path ?? "\\(room)/\\($0.name)" }} }}

let package = Package(
    name: "OpenCallKit",
    products: [{products}].map {{ .library(name: $0, targets: [$0]) }}
        + [.library(name: "OpenCallKitBus", targets: ["DBus", "EventLoop"])],
    dependencies: [
{dependencies}
    ],
    targets: rooms.flatMap(\\.value),
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {{
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}}

""" + last
    (folder / "Package.swift").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
