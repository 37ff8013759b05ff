"""The unit, checked by systemd without a booted system."""

import pytest

from conftest import DEPLOY, fails, passes, program

UNIT = "debian/postern.service"


def exposure(file):
    return [program("systemd-analyze"), "security", "--offline=true", "--threshold=15", "--no-pager", file]


def test_it_is_exposed_to_little():
    passes(*exposure(DEPLOY / UNIT))


@pytest.mark.parametrize(
    "old, new", [("CapabilityBoundingSet=\n", ""), ("SystemCallFilter=@system-service", ""), ("DynamicUser=yes", "User=root")])
def test_one_that_is_exposed_to_more_is_seen(copied, old, new):
    fails(*exposure(copied(UNIT, old, new)))


def test_swifts_threads_may_set_their_priority():
    """Without the filter, systemd would end the process with a signal at a call of `@resources`. Dispatch wants -4 for its most
    urgent threads, and writes to the journal at each start if it may not have it."""
    lines = (DEPLOY / UNIT).read_text().splitlines()
    assert "LimitNICE=-4" in lines
    filters = [line.partition("=")[2] for line in lines if line.startswith("SystemCallFilter=")]
    assert filters == ["@system-service", "~@privileged"] and "SystemCallErrorNumber=EPERM" in lines
