"""Leaves the names of the tests that failed where `run` looks for them, to try each once more, alone.

Alone a test that has to look at what others have done is skipped, which is no pass.
"""

import os
from pathlib import Path

FAILED = []
IS_AGAIN = "END_TO_END_AGAIN" in os.environ


def pytest_runtest_logreport(report):
    if (report.failed or IS_AGAIN and report.skipped) and report.nodeid not in FAILED:
        FAILED.append(report.nodeid)


# A file that cannot be read has a report of its own.
pytest_collectreport = pytest_runtest_logreport


def pytest_sessionfinish(session):
    if IS_AGAIN and FAILED:
        session.exitstatus = 1
    if path := os.environ.get("END_TO_END_FAILED"):
        with Path(path).open("a") as file:
            file.writelines(f"{name}\n" for name in FAILED)
