#!/usr/bin/python3
"""Plants each fault of faults.txt in a copy of the core, one at a time, and sees who finds it: the scenarios, the simulation.
A fault that the simulation finds is found again by the scenario file that it prints. At least NEEDED must be found."""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3, "Scripts"))
import core_package

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
WORK = os.path.join(ROOT, ".build", "mutants")
PACKAGE = os.path.join(WORK, "package")
CORE = os.path.join(PACKAGE, "Sources", "Core", "CallCore")
SCENARIOS = os.path.join(ROOT, "Tests", "Scenarios", "Files")
CELLS = os.path.join(ROOT, ".build", "cells")
SWIFT = os.environ.get("SWIFT", "swift")
STEPS = os.environ.get("MUTANT_STEPS", "50000")
PLANTED, NEEDED = 67, 64
SECONDS = 240


class Fault:
    def __init__(self, text):
        lines = text.split("\n")
        self.name, self.file = lines[0].strip(), lines[1].strip()
        self.old = [line[2:].strip() for line in lines[2:] if line.startswith("- ")]
        self.new = [line[2:].strip() for line in lines[2:] if line.startswith("+ ")]

    def plant(self, source):
        """The source with the fault in it; None if its place is not there, or there more than once."""
        if len(self.old) == 1 and len(self.new) == 1:
            return source.replace(self.old[0], self.new[0]) if source.count(self.old[0]) == 1 else None
        lines = source.split("\n")
        bare = [line.strip() for line in lines]
        count = len(self.old)
        places = [n for n in range(len(lines)) if count and bare[n:n + count] == self.old]
        if len(places) != 1:
            return None
        return "\n".join(lines[:places[0]] + self.new + lines[places[0] + count:])


def check(planted):
    """Every fault has its place in the core."""
    if len(planted) != PLANTED:
        sys.exit(f"mutants: {len(planted)} faults, there should be {PLANTED}")
    lost = []
    for fault in planted:
        with open(os.path.join(ROOT, "Sources", "Core", "CallCore", fault.file), encoding="utf-8") as file:
            if fault.plant(file.read()) is None:
                lost.append(f"  {fault.name}: not found once in {fault.file}: {' / '.join(fault.old)}")
    if lost:
        sys.exit("mutants: faults.txt is not of this core:\n" + "\n".join(lost))


def faults():
    with open(os.path.join(HERE, "faults.txt"), encoding="utf-8") as file:
        return [Fault(part) for part in file.read().split("\n== ")[1:]]


def build(name):
    """The simulator of the copy as it is now, under a name of its own."""
    scratch = os.path.join(WORK, "build")
    command = [SWIFT, "build", "--package-path", PACKAGE, "--scratch-path", scratch, "-Xswiftc", "-O",
               "--product", "simulator"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"mutants: {name} does not build:\n{done.stdout[-3000:]}")
    binary = os.path.join(WORK, name)
    shutil.copy(os.path.join(scratch, "debug", "simulator"), binary)
    return binary


def run(*command):
    """Whether it passed, and what it said. Nothing that has no end passes."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
        return done.returncode == 0, done.stdout
    except subprocess.TimeoutExpired:
        return False, ""


def by_scenarios(binary):
    passed, said = run(binary, "scenarios", SCENARIOS, "--cells", CELLS)
    if passed:
        return None
    names = re.findall(r"^([\w/=-]+): ", said, re.M)
    names.sort(key=lambda name: (name.startswith("cells/"), name))
    return f"{names[0]} and {len(names) - 1} more scenarios" if len(names) > 1 else names[0] if names else "no end"


def by_simulation(binary):
    passed, said = run(binary, "run", "--steps", STEPS, "--jobs", "1")
    if passed:
        return None
    seed = re.search(r"^seed (\d+): (.*)$", said, re.M)
    if not seed:
        return "simulation: no end"
    path = binary + ".scenario"
    with open(path, "w", encoding="utf-8") as file:
        file.write(said[said.index("\n\n", seed.start()) + 2:].rstrip("\n") + "\n")
    again, answer = run(binary, "scenarios", path)
    if again or "another transcript" in answer:
        sys.exit(f"mutants: the scenario of seed {seed[1]} does not fail when it is run:\n{answer}")
    return f"simulation, seed {seed[1]}"


def test(binary):
    found = [by_scenarios(binary), by_simulation(binary)]
    os.remove(binary)
    return [who for who in found if who]


def main():
    planted = faults()
    check(planted)
    if "--check" in sys.argv:
        return
    if not os.path.isdir(CELLS):
        sys.exit("mutants: .build/cells is missing: run `make cells`")
    os.makedirs(WORK, exist_ok=True)
    core_package.write(PACKAGE)
    sound = build("sound")
    if test(sound):
        sys.exit("mutants: something is found without a fault; see `make simulate`")
    found = 0
    results = []

    def report(number):
        """Waits for one and says who found it."""
        who = results[number].result()
        lines = [f"  {number + 1:2} {'found ' if who else 'MISSED'} {planted[number].name}"] + who
        print("\n            ".join(lines), flush=True)
        return bool(who)

    # The next one is built while the last ones are tested.
    with ThreadPoolExecutor(max_workers=2) as pool:
        for number, fault in enumerate(planted):
            path = os.path.join(CORE, fault.file)
            with open(path, encoding="utf-8") as file:
                source = file.read()
            mutant = fault.plant(source)
            if number > 1:
                found += report(number - 2)
            with open(path, "w", encoding="utf-8") as file:
                file.write(mutant)
            binary = build(f"mutant-{number + 1}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
            results.append(pool.submit(test, binary))
        for number in range(max(0, len(planted) - 2), len(planted)):
            found += report(number)
    print(f"mutants: {found} of {len(planted)} planted faults are found")
    if found < NEEDED:
        sys.exit(1)


main()
