"""Fixtures for pytest: a gateway or a proxy for the session, a space or a route for each test."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from typing import Any, Callable, Dict, Generator, Iterator, List, Optional, Tuple

import pytest

from .aio import AsyncSpace
from .control import Refused
from .gateway import Gateway
from .space import Space

#: The gateways and spaces of a test.
_GATEWAYS = pytest.StashKey[List[Gateway]]()
_SPACES = pytest.StashKey[List[Tuple[Gateway, Space]]]()
_LINES = 30


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("postern")
    group.addoption("--postern", metavar="FILE", help="the program (default: the variable POSTERN, or postern on the PATH)")
    group.addoption("--postern-image", metavar="IMAGE", help="an image of Postern, started as a container in place of the program")
    group.addoption("--postern-runtime", metavar="FILE", default="docker", help="what starts the image: docker or podman")
    group.addoption("--postern-flags", metavar="FLAGS", default="", help="further flags of `postern serve`, as a shell reads them")
    group.addoption(
        "--postern-proxy-flags", metavar="FLAGS", default="",
        help="flags of `postern proxy`, as a shell reads them: --to URL --i-may-proxy HOST",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "postern(settings, upstream, frozen, seed, idle_s): how the test's space or route is made, as by POST /spaces"
    )


@pytest.fixture(scope="session")
def postern(pytestconfig: pytest.Config) -> Iterator[Gateway]:
    """A gateway's process for the whole session."""
    flags = shlex.split(pytestconfig.getoption("--postern-flags"))
    program, image = pytestconfig.getoption("--postern"), pytestconfig.getoption("--postern-image")
    runtime = pytestconfig.getoption("--postern-runtime")
    with Gateway.start(*flags, program=program, image=image, runtime=runtime) as gateway:
        yield gateway


@pytest.fixture(scope="session")
def postern_proxy_process(pytestconfig: pytest.Config) -> Iterator[Gateway]:
    """A proxy's process for the whole session."""
    flags = shlex.split(pytestconfig.getoption("--postern-proxy-flags"))
    with Gateway.proxy(*flags, program=pytestconfig.getoption("--postern")) as proxy:
        yield proxy


def _made(gateway: Gateway, request: pytest.FixtureRequest, **members: Any) -> Space:
    """Makes a space of the test by its markers."""
    order: Dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("postern"))):
        order.update(marker.kwargs)
    order.update(members)
    request.node.stash.setdefault(_GATEWAYS, []).append(gateway)
    space = gateway.space(**order)
    request.node.stash.setdefault(_SPACES, []).append((gateway, space))
    return space


@pytest.fixture
def postern_space(postern: Gateway, request: pytest.FixtureRequest) -> Iterator[Space]:
    """A gateway for one test."""
    with _made(postern, request) as space:
        yield space


@pytest.fixture
def postern_proxy(
    postern_proxy_process: Gateway, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Space]]:
    """Makes routes to gateways for one test: `postern_proxy(to="ws://127.0.0.1:3000", wire="centrifugo")`."""
    with ExitStack() as routes:

        def make(to: Optional[str] = None, *, wire: Any = None, **members: Any) -> Space:
            if to is not None:
                members["upstream"] = to
            if wire is not None:
                members["settings"] = {**members.get("settings", {}), "wire": wire}
            return routes.enter_context(_made(postern_proxy_process, request, **members))

        yield make


@pytest.fixture
def postern_route(postern_proxy: Callable[..., Space]) -> Space:
    """A route for one test, to the gateway of the test's marker or of `--to`."""
    return postern_proxy()


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
        for _, space in item.stash.get(_SPACES, []):
            space.give_up()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    if not report.failed:
        return report
    spaces = item.stash.get(_SPACES, []) if report.when == "call" else []
    for gateway, space in spaces:
        try:
            lines = list(map(str, space.journal.last(_LINES)))
            lines += [f"asleep, while time stands still: {sleep}" for sleep in space.sleeping()]
        except (Refused, OSError) as error:
            report.sections.append(("postern journal", gateway.obituary() or f"could not be read: {error}"))
        else:
            report.sections.append(("postern journal", "\n".join(lines) or "nothing happened"))
    if not spaces and call.excinfo is not None and isinstance(call.excinfo.value, OSError):
        # A gateway that does not answer may have ended.
        asked: List[Gateway] = item.stash.get(_GATEWAYS, [])
        for gateway in dict.fromkeys(asked):
            obituary = gateway.obituary()
            if obituary is not None:
                report.sections.append(("postern", obituary))
    return report
