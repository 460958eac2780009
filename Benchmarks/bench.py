#!/usr/bin/python3
"""Measures OpenCallKit in one run, part by part, and prints one table. Exits with 1 if a row is over its limit.

Absolute times move by a factor of 2 between machines and moments; the ratios within one run are what counts. What is
compared runs in turns, and a ratio is the median of the ratios of all turns.
"""

import argparse
import concurrent.futures
import importlib
import os
import sys
import tempfile
import time
import traceback

import rows

PARTS = ("daemon", "sandbox", "recents", "directory", "desktop", "cellular", "sip")


def run(name, build, plugins, quick):
    """Measures a part, in a process of its own: its rows, and why it did not end."""
    part, failure = rows.Part(name, build, plugins, quick=quick), ""
    with tempfile.TemporaryDirectory(prefix="opencallkit-bench-") as part.folder:
        os.chmod(part.folder, 0o755)
        try:
            importlib.import_module(f"parts.{name}").measure(part)
        except Exception:  # The other parts are measured all the same.
            failure = f"and failed\n{traceback.format_exc()}"
    return part.rows, failure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", type=os.path.abspath, help="the folder of a release build")
    parser.add_argument("plugins", metavar="PLUGINS", type=os.path.abspath, help="the folder of its bundles")
    parser.add_argument("--json", metavar="FILE", help="writes the rows, for compare.py")
    parser.add_argument("--only", metavar="NAME", choices=PARTS, action="append", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="repeats everything less often; the figures are rougher")
    options = parser.parse_args()
    # The rigs of the end-to-end tests look for the build here.
    os.environ.update(OPENCALLKIT_BUILD=options.build, OPENCALLKIT_PLUGINS=options.plugins)
    found, failures = [], []
    for name in options.only or PARTS:
        began = time.monotonic()
        with concurrent.futures.ProcessPoolExecutor(1) as process:
            more, failure = process.submit(run, name, options.build, options.plugins, options.quick).result()
        print(f"bench: {name}: {len(more)} rows in {time.monotonic() - began:.0f} s {failure}".rstrip(), flush=True)
        found += more
        failures += [name] if failure else []
    print("\n" + "\n".join(rows.table(found)))
    if options.json:
        rows.write(options.json, found, options.quick)
    if failures:
        print(f"not measured to the end: {', '.join(failures)}")
    return rows.status(found, failures)


if __name__ == "__main__":
    sys.exit(main())
