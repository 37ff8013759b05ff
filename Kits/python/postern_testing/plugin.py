"""Fixtures for pytest: a gateway for the session, a space for each test."""

from __future__ import annotations

import shlex
from typing import Any, Generator, Iterator

import pytest

from .aio import AsyncSpace
from .control import Refused
from .gateway import Gateway
from .space import Space

_GATEWAY = pytest.StashKey[Gateway]()
_SPACE = pytest.StashKey[Space]()
_LINES = 30


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("postern")
    group.addoption("--postern", metavar="FILE", help="the program (default: the variable POSTERN, or postern on the PATH)")
    group.addoption("--postern-image", metavar="IMAGE", help="an image of Postern, started as a container in place of the program")
    group.addoption("--postern-runtime", metavar="FILE", default="docker", help="what starts the image: docker or podman")
    group.addoption("--postern-flags", metavar="FLAGS", default="", help="further flags of `postern serve`, as a shell reads them")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "postern(settings, frozen, seed, idle_s): how the test's space is made, as by POST /spaces"
    )


@pytest.fixture(scope="session")
def postern(pytestconfig: pytest.Config) -> Iterator[Gateway]:
    """A gateway's process for the whole session."""
    flags = shlex.split(pytestconfig.getoption("--postern-flags"))
    program, image = pytestconfig.getoption("--postern"), pytestconfig.getoption("--postern-image")
    runtime = pytestconfig.getoption("--postern-runtime")
    with Gateway.start(*flags, program=program, image=image, runtime=runtime) as gateway:
        yield gateway


@pytest.fixture
def postern_space(postern: Gateway, request: pytest.FixtureRequest) -> Iterator[Space]:
    """A gateway for one test."""
    request.node.stash[_GATEWAY] = postern
    order: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("postern"))):
        order.update(marker.kwargs)
    with postern.space(**order) as space:
        request.node.stash[_SPACE] = space
        yield space


@pytest.fixture
def postern_async_space(postern_space: Space) -> AsyncSpace:
    """A gateway for one test, for asyncio."""
    return AsyncSpace(postern_space)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    try:
        return (yield)
    finally:
        # Ends requests without an answer. Otherwise the event loop of an asynchronous test would wait for their threads
        # before the space ends.
        space = item.stash.get(_SPACE, None)
        if space is not None:
            space.give_up()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    gateway, space = item.stash.get(_GATEWAY, None), item.stash.get(_SPACE, None)
    if not report.failed or gateway is None:
        return report
    if report.when == "call" and space is not None:
        try:
            lines = list(map(str, space.journal.last(_LINES)))
            lines += [f"asleep, while time stands still: {sleep}" for sleep in space.sleeping()]
        except (Refused, OSError) as error:
            report.sections.append(("postern journal", gateway.obituary() or f"could not be read: {error}"))
        else:
            report.sections.append(("postern journal", "\n".join(lines) or "nothing happened"))
    elif call.excinfo is not None and isinstance(call.excinfo.value, OSError):
        # A gateway that does not answer may have ended.
        obituary = gateway.obituary()
        if obituary is not None:
            report.sections.append(("postern", obituary))
    return report
