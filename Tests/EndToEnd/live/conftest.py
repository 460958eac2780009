"""Keeps what each scene has shown, for the table of docs/desktop.md."""

import pytest

from live import table


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    test = getattr(item, "instance", None)
    column = getattr(getattr(item, "function", None), "column", None)
    if column and call.when == "call" and not report.skipped and hasattr(test, "desktop"):
        reason = str(call.excinfo.value) if call.excinfo else ""
        table.keep(test.desktop, item.name, column, reason)
    return report
