"""Runs the modules of tests side by side: `run.py [NAME...]`. Each has processes and a bus of its own. One more runs than
there are processors, since most of them wait most of the time.

A module's output is printed when it has ended. The modules that take longest begin first.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
LONG = ["test_memory", "test_races", "test_cellular_faults", "test_cellular", "test_desktop_audio", "test_certify",
        "test_sip_media", "test_sip_calls", "test_sip_holding",
        "test_certify_networks", "test_accounts_hostile", "test_accounts_floods", "test_desktop_address_books",
        "test_cellular_modems", "test_cellular_others", "test_cellular_endurance", "test_accounts_kills",
        "test_people_blocking", "test_directory", "test_sdk_actions", "test_store_failures", "test_random_values",
        "test_plugins", "test_sdk_directory", "test_store_disks", "test_desktop_endurance",
        "test_desktop_notifications", "test_desktop_phosh", "test_desktop_ringing"]
PATIENCE = 3_600
"""Seconds until a module is given up."""


def modules(names):
    found = sorted(name[:-3] for name in os.listdir(FOLDER) if re.fullmatch(r"test_\w+\.py", name))
    found = [name for name in found if not names or name in names]
    return sorted(found, key=lambda name: LONG.index(name) if name in LONG else len(LONG))


def run(module):
    began = time.monotonic()
    command = [sys.executable, "-m", "unittest", "discover", "-s", FOLDER, "-t", FOLDER, "-p", f"{module}.py"]
    try:
        process = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False)
        status, output = process.returncode, process.stdout + process.stderr
    except subprocess.TimeoutExpired as late:
        status, output = 1, f"{late.stderr}\n{module} has not ended after {PATIENCE} s"
    return module, status, output, time.monotonic() - began


def main():
    failed, tests, began = [], 0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() + 1) as pool:
        for task in concurrent.futures.as_completed([pool.submit(run, module) for module in modules(sys.argv[1:])]):
            module, status, output, seconds = task.result()
            count = int((re.search(r"^Ran (\d+) test", output, re.MULTILINE) or [0, 0])[1])
            tests += count
            print(f"{module}: {count} tests in {seconds:.0f} s{'' if status == 0 else ': FAILED'}", flush=True)
            if status != 0 or count == 0:
                failed.append(module)
                print(output, flush=True)
    print(f"{tests} tests in {time.monotonic() - began:.0f} s")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
