"""A gateway of one test."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Type

from .calls import Calls
from .control import Control, Refused
from .durations import Duration, seconds
from .journal import Journal


@dataclass(frozen=True)
class Session:
    """A connection and who is on it: its phase is `active`, `refreshing` or another of the gateway's words."""

    id: str
    dialect: str
    phase: str
    user_id: Optional[str]
    user_kind: Optional[str]
    expires_in_ms: Optional[int]
    deadline_in_ms: Optional[int]
    age_ms: int
    silence_ms: int
    calls: Sequence[str]

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "Session":
        members: Dict[str, Any] = {name: content.get(name) for name in cls.__dataclass_fields__}
        return cls(**members)


@dataclass(frozen=True)
class Sleep:
    """What goes on only when the time of a frozen space is moved: the provider, for instance, and by how much."""

    purpose: str
    wakes_in_ms: int

    def __str__(self) -> str:
        return f"{self.purpose}, for {self.wakes_in_ms / 1000:g} s yet"


@dataclass(frozen=True)
class Advance:
    """How time was moved: over how many deadlines, how many were cut off on the way, who still owed an answer at the end, what sleeps yet."""

    steps: int
    moved_s: float
    #: Whether nobody owes an answer, and nobody was cut off.
    answered: bool
    owing: Sequence[Session]
    sleeping: Sequence[Sleep]
    cut_off: int = 0


class Space:
    """A gateway of its own inside a process: with its own users, keys, clock and journal. Ends with its `with` block."""

    def __init__(self, control: Control, made: Mapping[str, Any]):
        self.name: str = made["name"]
        #: Where sockets are, without a path, and the HTTP side.
        self.url: str = made["url"]
        self.http_url: str = made["http_url"]
        self.port: int = made["port"]
        #: Where clients connect, by dialect: `plain` and those of the vendors.
        self.urls: Dict[str, str] = dict(made["urls"])
        #: What signs its tokens (HMAC), unless the settings named a key.
        self.secret: Optional[str] = made.get("secret")
        self._spaces = control
        self._calls = Calls()
        self._control = control.below("spaces", self.name, calls=self._calls)
        self._public = Control(self.http_url, calls=self._calls)
        self.journal = Journal(self._control)

    def __repr__(self) -> str:
        return f"<Space {self.name} {self.url}>"

    # Tokens

    def token(
        self,
        user: str,
        life: Duration = "1h",
        *,
        kind: str = "regular",
        scheme: str = "plain",
        calls: Optional[Sequence[str]] = None,
    ) -> str:
        """A token of the built-in provider, in the space's own time. `scheme` names the vendor: `postern token mint --help`."""
        order: Dict[str, Any] = {"user_id": user, "life_s": seconds(life), "kind": kind, "scheme": scheme}
        if calls is not None:
            order["call_cids"] = list(calls)
        return str(self._public.post("/v1/tokens", order)["token"])

    # Orders

    def expire(self, user: str) -> int:
        """Lets the user's tokens expire now. Returns how many sessions that reached."""
        return self._order(user, "expire")

    def ask_for_refresh(self, user: str) -> int:
        """Asks the user's sessions for another token."""
        return self._order(user, "refresh")

    def disconnect(self, user: str, code: int = 4005, reason: str = "disconnected") -> int:
        """Closes the user's connections with this close frame."""
        return self._order(user, "disconnect", {"code": code, "reason": reason})

    def revoke(self, user: str) -> int:
        """Revokes every token of the user that was issued until now."""
        return int(self._control.post("/revocations", {"user_id": user})["sessions"])

    # Faults

    def fail(self, fault: str, **members: Any) -> int:
        """Has the gateway fail so from here on: `fail("drop", what="reply:refresh", times=1)`. Returns what `mend` takes."""
        return int(self._control.post("/faults", {"fault": fault, **members})["number"])

    def mend(self, number: Optional[int] = None) -> None:
        """Takes a fault back; all of them without a number."""
        self._control.delete("/faults" if number is None else f"/faults/{number}")

    def faults(self) -> List[Mapping[str, Any]]:
        """The faults that stand, and how often each `befell`."""
        return list(self._control.get("/faults")["faults"])

    def _order(self, user: str, order: str, body: Optional[Mapping[str, Any]] = None) -> int:
        return int(self._control.below("users", user).post(f"/{order}", body)["sessions"])

    # Looking

    def sessions(self, user: Optional[str] = None) -> List[Session]:
        """Who is connected."""
        found: List[Session] = []
        after: Optional[str] = None
        while True:
            page = self._control.get("/sessions", user=user, after=after, limit=1000)
            found += map(Session.read, page["sessions"])
            after = page.get("next")
            if after is None:
                return found

    def metrics(self) -> str:
        """The page for Prometheus."""
        return "\n".join(self._control.lines("/metrics"))

    # Time

    def advance(
        self, by: Duration, *, patience: Duration = 1, wall: str = "moves", stop_at: Optional[str] = None
    ) -> Advance:
        """Moves the space's time on, from deadline to deadline; clients that were asked for something have `patience` of real time each time."""
        order: Dict[str, Any] = {"by_s": seconds(by), "patience_ms": round(seconds(patience) * 1000), "wall": wall}
        if stop_at is not None:
            order["stop_at"] = stop_at
        moved = self._control.post("/clock/advance", order)
        return Advance(
            moved["steps"], moved["moved_s"], moved["answered"], [Session.read(one) for one in moved["owing"]],
            [Sleep(**one) for one in moved["sleeping"]], moved["cut_off"])

    def sleeping(self) -> List[Sleep]:
        """What of a frozen space goes on only when its time is moved; nothing where time passes."""
        return [Sleep(**one) for one in self._control.get("/clock")["sleeping"]]

    def wall_time(self) -> float:
        """Its time of day, in seconds since 1970."""
        return float(self._control.get("/clock")["wall"])

    def set_wall(self, date: str) -> None:
        """Has its time of day be another one: "2000-01-01T00:00:00Z". Sessions keep their deadlines."""
        self._control.post("/clock", {"wall": date})

    # The end

    def end(self) -> None:
        """Closes its connections with 1001 and forgets it. Again: does nothing. Who waits for an answer of its, in another
        thread, gets it now or never: `Ended`."""
        try:
            self._spaces.below("spaces", self.name).delete("")
        except Refused as refusal:
            if refusal.status != 404:
                raise
        finally:
            self.give_up()

    def give_up(self) -> None:
        """Who waits for an answer of the space's, in another thread, waits no longer: `Ended`. The space goes on."""
        self._calls.end()

    def __enter__(self) -> "Space":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.end()
