#!/usr/bin/python3
"""Measures how much of the core the scenarios reach, by the regions of Swift's coverage: every branch of an `if`,
`guard`, `switch`, `?:`, `??`, `&&` and `||` is a region. Fails unless every region of the arbiter is reached."""

import json
import os
import subprocess
import sys

import core_package

ROOT = core_package.ROOT
PACKAGE = os.path.join(ROOT, ".build", "core-coverage")
SCENARIOS = [os.path.join(ROOT, "Tests", "Scenarios", "Files"), os.path.join(ROOT, ".build", "cells")]
PROFILE = os.path.join(PACKAGE, "scenarios.profraw")
DATA = os.path.join(PACKAGE, "scenarios.profdata")
SIMULATOR = os.path.join(PACKAGE, ".build", "debug", "simulator")
SWIFT = os.environ.get("SWIFT", "swift")
WHOLE = "Arbiter"


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{done.stdout[-4000:]}\ncoverage: {os.path.basename(command[0])} failed")


def run_the_scenarios():
    core_package.write(PACKAGE)
    run(SWIFT, "build", "--package-path", PACKAGE, "--product", "simulator", "-Xswiftc", "-profile-generate",
        "-Xswiftc", "-profile-coverage-mapping")
    run(SIMULATOR, "scenarios", *[folder for folder in SCENARIOS if os.path.isdir(folder)],
        env={**os.environ, "LLVM_PROFILE_FILE": PROFILE})
    run(tool("llvm-profdata"), "merge", "-o", DATA, PROFILE)


def tool(name):
    """The path of a tool beside the compiler, or its name."""
    beside = os.path.join(os.path.dirname(os.path.realpath(subprocess.getoutput(f"command -v {SWIFT}"))), name)
    return beside if os.path.exists(beside) else name


def export():
    command = [tool("llvm-cov"), "export", SIMULATOR, "-instr-profile", DATA]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("coverage: " + done.stderr)
    return json.loads(done.stdout)["data"][0]


def regions_of(data):
    """The code regions of each file of the core, with the number of times that each was reached."""
    files = {}
    for function in data["functions"]:
        for line, column, end_line, end_column, count, file_id, _, kind in function["regions"]:
            path = os.path.realpath(function["filenames"][file_id])
            if kind != 0 or "/Sources/Core/CallCore/" not in path:
                continue
            regions = files.setdefault(path.split("/Sources/Core/CallCore/")[1], {})
            place = (line, column, end_line, end_column)
            regions[place] = regions.get(place, 0) + count
    return files


def main():
    run_the_scenarios()
    files = regions_of(export())
    if not any(name.startswith(WHOLE + "/") for name in files):
        sys.exit("coverage: no file of the arbiter was found")
    sums = {}
    missed = []
    print("regions reached by the scenarios, in Sources/Core/CallCore:")
    for name, regions in sorted(files.items(), key=lambda item: (not item[0].startswith(WHOLE + "/"), item[0])):
        reached = sum(1 for count in regions.values() if count)
        part = "arbiter" if name.startswith(WHOLE + "/") else "rest of the core"
        total = sums.setdefault(part, [0, 0])
        total[0] += reached
        total[1] += len(regions)
        print(f"  {100 * reached / len(regions):6.2f} %  {reached:4} of {len(regions):4}  {name}")
        if part == "arbiter":
            missed += [f"{name}:{place[0]}:{place[1]}" for place, count in sorted(regions.items()) if not count]
        elif "--missed" in sys.argv:
            for place, count in sorted(regions.items()):
                if not count:
                    print(f"             {name}:{place[0]}:{place[1]}-{place[2]}:{place[3]}")
    for part, (reached, all_of_them) in sums.items():
        print(f"coverage: {part}: {reached} of {all_of_them} regions, {100 * reached / all_of_them:.2f} %")
    if missed:
        sys.exit("coverage: regions of the arbiter are not reached: " + ", ".join(missed))


main()
