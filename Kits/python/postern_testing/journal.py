"""The journal of a space, line by line."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Union

from .control import Control
from .durations import Duration, seconds

Kinds = Union[str, Sequence[str]]


@dataclass(frozen=True)
class Line:
    """A line: one event. Its further members are in `details`, by their JSON names."""

    n: int
    at_ms: int
    real_ms: int
    time: str
    kind: str
    user: Optional[str] = None
    connection: Optional[str] = None
    dialect: Optional[str] = None
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "Line":
        own = {name: content[name] for name in _OWN if name in content}
        return cls(**own, details={name: value for name, value in content.items() if name not in _OWN})

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name) if name in _OWN else self.details[name]

    def __str__(self) -> str:
        parts = [part for part in (self.user, self.connection) if part]
        parts += [f"{name}={value}" for name, value in self.details.items()]
        return f"{self.n:>6} {self.at_ms / 1000:>12.3f} s  {self.kind:<18} {' '.join(parts)}".rstrip()


_OWN = ("n", "at_ms", "real_ms", "time", "kind", "user", "connection", "dialect")


class NotInTime(AssertionError):
    """The expected lines did not come in time; `lines` are those that did."""

    def __init__(self, awaited: str, lines: Sequence[Line], latest: Sequence[Line]):
        self.lines = list(lines)
        told = "\n".join(str(line) for line in latest) or "  nothing"
        super().__init__(f"{awaited}; the journal's last lines:\n{told}")


@dataclass(frozen=True)
class Verdict:
    """The result of an expectation: passed, failed, undecided or not_applicable, with the lines that prove it."""

    expect: str
    word: str
    sentence: str
    lines: Sequence[Line]

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "Verdict":
        return cls(content["expect"], content["verdict"], content["sentence"], [Line.read(line) for line in content["lines"]])

    def __str__(self) -> str:
        return "\n".join([f"{self.expect} {self.word}: {self.sentence}", *map(str, self.lines)])


class NotExpected(AssertionError):
    """An expectation failed or is undecided; `verdict` says which, and why."""

    def __init__(self, verdict: Verdict):
        self.verdict = verdict
        super().__init__(str(verdict))


class Journal:
    """The journal of a space. Lines are numbered from 1, without gaps."""

    def __init__(self, control: Control):
        self._control = control

    def lines(
        self,
        kind: Optional[Kinds] = None,
        *,
        user: Optional[str] = None,
        connection: Optional[str] = None,
        after: int = 0,
        payloads: bool = False,
    ) -> List[Line]:
        """Returns the lines after a number with these kinds, that user and that connection. With `payloads` they contain the
        messages, with secrets blanked, as the detail `payload`."""
        said = "true" if payloads else None
        found: List[Line] = []
        while True:
            page = self._control.get(
                "/journal",
                kind=_kinds(kind),
                user=user,
                connection=connection,
                after=after,
                payloads=said,
                limit=1000,
            )
            found += map(Line.read, page["lines"])
            if len(page["lines"]) < 1000:
                return found
            after = page["next"]

    def count(
        self, kind: Kinds, *, user: Optional[str] = None, connection: Optional[str] = None, after: int = 0
    ) -> int:
        """Returns the number of matching lines."""
        return len(self.lines(kind, user=user, connection=connection, after=after))

    def mark(self) -> int:
        """Returns the number of the last line; later events have higher numbers."""
        return int(self._control.get("/journal", limit=1)["last"])

    def last(self, count: int = 30) -> List[Line]:
        """Returns the last lines."""
        return self.lines(after=max(0, self.mark() - count))

    def wait(
        self,
        kind: str,
        *,
        user: Optional[str] = None,
        connection: Optional[str] = None,
        count: int = 1,
        after: int = 0,
        within: Duration = 5,
    ) -> List[Line]:
        """Returns the lines when there are `count` of them after number `after`; raises `NotInTime` after `within` of real time."""
        __tracebackhide__ = True  # pytest shows the test's own line.
        order = {"kind": kind, "user": user, "connection": connection}
        order = {name: value for name, value in order.items() if value is not None}
        answer = self._control.post(
            "/journal/await", {**order, "count": count, "after": after, "within_ms": round(seconds(within) * 1000)}
        )
        lines = [Line.read(line) for line in answer["lines"]]
        if not answer["met"]:
            whose = f" of {user}" if user is not None else ""
            awaited = f"{len(lines)} of {count} {kind}{whose} within {seconds(within):g} s"
            raise NotInTime(awaited, lines, self.last())
        return lines

    def judge(
        self, expect: str, *, user: Optional[str] = None, after: int = 0, within: Duration = 0, **parameters: Any
    ) -> Verdict:
        """Returns the verdict of an expectation over the lines after a number. An undecided one is requested again until
        `within` of real time has passed, or up to ten times as long on a slow machine. Parameters are those of the control API: at_least_ms, at_most, since, attempt, quiet_ms, ..."""
        order = {"expect": expect, "user": user, "after": after, **parameters}
        order = {name: value for name, value in order.items() if value is not None}
        begun, limit, lost = time.monotonic(), seconds(within), None
        while True:
            answer = self._control.post("/journal/expect", order)
            verdict = Verdict.read(answer)
            # The time that a slow machine loses is added.
            lost_now = answer.get("lost_ms", 0) / 1000
            lost = lost_now if lost is None else lost
            passed = time.monotonic() - begun
            if verdict.word != "undecided" or passed >= 10 * limit or passed - (lost_now - lost) >= limit:
                return verdict
            time.sleep(0.05)

    def expect(
        self, expect: str, *, user: Optional[str] = None, after: int = 0, within: Duration = 2, **parameters: Any
    ) -> Verdict:
        """Checks an expectation: raises `NotExpected` unless it is passed, at once if it has failed."""
        __tracebackhide__ = True
        verdict = self.judge(expect, user=user, after=after, within=within, **parameters)
        if verdict.word != "passed":
            raise NotExpected(verdict)
        return verdict

    def follow(self, kind: Optional[Kinds] = None, *, user: Optional[str] = None, after: int = 0) -> Iterator[Line]:
        """Yields the present lines and later ones as they come, until the space or the iteration ends."""
        for text in self._control.lines("/journal/stream", timeout=60, kind=_kinds(kind), user=user, after=after):
            if text.startswith("data:"):
                content = json.loads(text[5:])
                if "n" in content:
                    yield Line.read(content)


def _kinds(kind: Optional[Kinds]) -> Optional[str]:
    return kind if kind is None or isinstance(kind, str) else ",".join(kind)
