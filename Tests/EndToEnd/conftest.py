"""What pytest does for all tests: how many run side by side, and what a failure shows."""

import os
import signal

import pytest

from support.contract import REPOSITORY

# Python's readline, which pytest imports, says here how large the terminal is. What is tested is to find out itself.
for size in ("COLUMNS", "LINES"):
    os.environ.pop(size, None)

# A shell that runs this in the background has it ignore Ctrl-C, and the programs that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

TRACES = os.path.join(REPOSITORY, ".build", "failed-tests")
"""Where what a failed test leaves is kept whole: its log and its recording."""
SHOWN = 200
"""The most lines of each that a failure shows."""


def pytest_xdist_auto_num_workers(config):
    """One more than there are processors, since tests wait some of the time."""
    return os.cpu_count() + 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    test = getattr(item, "instance", None)
    if report.failed and hasattr(test, "traces"):
        for name, text in test.traces().items():
            report.sections.append(kept(item.nodeid, name, text))
    return report


def kept(test, name, text):
    """Keeps a trace of a failed test in a file. Returns the section of the report with its last lines."""
    os.makedirs(TRACES, exist_ok=True)
    path = os.path.join(TRACES, test.replace("/", "-").replace("::", ".") + f".{name}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    lines = text.splitlines()
    return f"{name}, {min(SHOWN, len(lines))} of {len(lines)} lines of {path}", "\n".join(lines[-SHOWN:])
