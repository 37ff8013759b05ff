"""Spaces for asyncio: each request runs in a thread."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Dict, List, Mapping, Optional, ParamSpec, Sequence, TypeVar, Union

from .calls import Calls, current
from .durations import Duration
from .journal import Journal, Kinds, Line, Verdict
from .space import Advance, Session, Sleep, Space

P = ParamSpec("P")
Answer = TypeVar("Answer")


async def in_thread(function: Callable[P, Answer], *arguments: P.args, **named: P.kwargs) -> Answer:
    """Runs the function, which sends requests to a gateway, in a thread. If the task is cancelled, e.g. by a failed test, the
    request and its thread end; otherwise the loop would wait for the thread at its own end."""
    calls = Calls()

    def ask() -> Answer:
        # In a copy of the context, like `to_thread`.
        current.set(calls)
        return function(*arguments, **named)

    try:
        return await asyncio.to_thread(ask)
    finally:
        calls.end_for_good()


class AsyncJournal:
    """A `Journal` whose methods are awaited."""

    def __init__(self, journal: Journal):
        self._journal = journal

    async def lines(
        self,
        kind: Optional[Kinds] = None,
        *,
        user: Optional[str] = None,
        connection: Optional[str] = None,
        after: int = 0,
        payloads: bool = False,
    ) -> List[Line]:
        return await in_thread(
            self._journal.lines, kind, user=user, connection=connection, after=after, payloads=payloads
        )

    async def count(
        self, kind: Kinds, *, user: Optional[str] = None, connection: Optional[str] = None, after: int = 0
    ) -> int:
        return await in_thread(self._journal.count, kind, user=user, connection=connection, after=after)

    async def mark(self) -> int:
        return await in_thread(self._journal.mark)

    async def last(self, count: int = 30) -> List[Line]:
        return await in_thread(self._journal.last, count)

    async def wait(
        self,
        kind: str,
        *,
        user: Optional[str] = None,
        connection: Optional[str] = None,
        count: int = 1,
        after: int = 0,
        within: Duration = 5,
    ) -> List[Line]:
        return await in_thread(
            self._journal.wait, kind, user=user, connection=connection, count=count, after=after, within=within
        )

    async def judge(
        self, expect: str, *, user: Optional[str] = None, after: int = 0, within: Duration = 0, **parameters: Any
    ) -> Verdict:
        return await in_thread(
            self._journal.judge, expect, user=user, after=after, within=within, **parameters
        )

    async def expect(
        self, expect: str, *, user: Optional[str] = None, after: int = 0, within: Duration = 2, **parameters: Any
    ) -> Verdict:
        return await in_thread(
            self._journal.expect, expect, user=user, after=after, within=within, **parameters
        )


class AsyncSpace:
    """A `Space` whose methods are awaited."""

    def __init__(self, space: Space):
        self.space = space
        self.name, self.url, self.http_url, self.port = space.name, space.url, space.http_url, space.port
        self.token_url, self.urls, self.secret, self.upstream = space.token_url, space.urls, space.secret, space.upstream
        self.journal = AsyncJournal(space.journal)

    async def token(
        self,
        user: str,
        life: Duration = "1h",
        *,
        kind: str = "regular",
        scheme: str = "plain",
        calls: Optional[Sequence[str]] = None,
    ) -> str:
        return await in_thread(self.space.token, user, life, kind=kind, scheme=scheme, calls=calls)

    async def environment(self, user: str, dialect: str = "plain", life: Duration = "1h") -> Dict[str, str]:
        return await in_thread(self.space.environment, user, dialect, life)

    async def expire(self, user: str) -> int:
        return await in_thread(self.space.expire, user)

    async def ask_for_refresh(self, user: str) -> int:
        return await in_thread(self.space.ask_for_refresh, user)

    async def disconnect(self, user: str, code: int = 4005, reason: str = "disconnected") -> int:
        return await in_thread(self.space.disconnect, user, code, reason)

    async def say(self, user: str, message: Union[str, bytes]) -> int:
        return await in_thread(self.space.say, user, message)

    async def revoke(self, user: str) -> int:
        return await in_thread(self.space.revoke, user)

    async def fail(self, fault: str, **members: Any) -> int:
        return await in_thread(self.space.fail, fault, **members)

    async def mend(self, number: Optional[int] = None) -> None:
        await in_thread(self.space.mend, number)

    async def faults(self) -> List[Mapping[str, Any]]:
        return await in_thread(self.space.faults)

    async def sessions(self, user: Optional[str] = None) -> List[Session]:
        return await in_thread(self.space.sessions, user)

    async def metrics(self) -> str:
        return await in_thread(self.space.metrics)

    async def advance(
        self, by: Duration, *, patience: Duration = 1, wall: str = "moves", stop_at: Optional[str] = None
    ) -> Advance:
        return await in_thread(self.space.advance, by, patience=patience, wall=wall, stop_at=stop_at)

    async def sleeping(self) -> List[Sleep]:
        return await in_thread(self.space.sleeping)

    async def wall_time(self) -> float:
        return await in_thread(self.space.wall_time)

    async def set_wall(self, date: str) -> None:
        await in_thread(self.space.set_wall, date)

    async def end(self) -> None:
        await in_thread(self.space.end)

    async def __aenter__(self) -> "AsyncSpace":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.end()
