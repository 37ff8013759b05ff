"""A gateway for one test."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Type, Union

from .calls import Calls
from .control import Control, Refused
from .durations import Duration, seconds
from .journal import Journal


#: The vendors whose tokens have a form of their own.
SCHEMES = ("sendbird", "sinch", "stream-video", "streem")


@dataclass(frozen=True)
class Session:
    """A connection and its user. Its phase is `active`, `refreshing` or another of the gateway's phases."""

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
    """Work that continues only when the time of a frozen space is moved, and by how much; e.g. the provider's latency."""

    purpose: str
    wakes_in_ms: int

    def __str__(self) -> str:
        return f"{self.purpose}, for {self.wakes_in_ms / 1000:g} s yet"


@dataclass(frozen=True)
class Advance:
    """The result of moving time: deadlines passed, clients cut off, clients that owe an answer, and work that sleeps."""

    steps: int
    moved_s: float
    #: Whether no client owes an answer or was cut off.
    answered: bool
    owing: Sequence[Session]
    sleeping: Sequence[Sleep]
    cut_off: int = 0


class Space:
    """A gateway inside a process, with its own users, keys, clock and journal; or a route of a proxy to a gateway elsewhere, which
    has its own tokens and time. Ends with its `with` block."""

    def __init__(self, control: Control, made: Mapping[str, Any]):
        self.name: str = made["name"]
        #: The URLs of sockets (without a path) and of the HTTP API.
        self.url: str = made["url"]
        self.http_url: str = made["http_url"]
        #: The token endpoint, for clients that fetch their tokens themselves: `POST` with `{"user_id": …}`.
        self.token_url: str = self.http_url + "/v1/tokens"
        self.port: int = made["port"]
        #: The URLs to which clients connect, by dialect: `plain` and those of the vendors.
        self.urls: Dict[str, str] = dict(made["urls"])
        #: The HMAC secret of its tokens, unless the settings name a key.
        self.secret: Optional[str] = made.get("secret")
        #: The gateway that a route of a proxy leads to; None for a gateway.
        self.upstream: Optional[str] = made.get("upstream")
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
        """Returns a token of the built-in provider, in the space's own time. `scheme` names the vendor: `postern token mint --help`."""
        if self.upstream is not None:
            raise ValueError(f"the tokens are those of {self.upstream}: take them from your own token endpoint")
        order: Dict[str, Any] = {"user_id": user, "life_s": seconds(life), "kind": kind, "scheme": scheme}
        if calls is not None:
            order["call_cids"] = list(calls)
        return str(self._public.post("/v1/tokens", order)["token"])

    def environment(self, user: str, dialect: str = "plain", life: Duration = "1h") -> Dict[str, str]:
        """Returns the variables that `postern ctl conform` gives to a client's process, e.g. `POSTERN_URL` and `POSTERN_TOKEN_URL`:
        `subprocess.Popen(command, env={**os.environ, **space.environment("ann")})`."""
        scheme = dialect if dialect in SCHEMES else "plain"
        return {
            "POSTERN_URL": self.urls[dialect],
            "POSTERN_HTTP_URL": self.http_url,
            "POSTERN_TOKEN_URL": self.token_url,
            "POSTERN_USER": user,
            "POSTERN_TOKEN": self.token(user, life, scheme=scheme),
            "POSTERN_TOKEN_SCHEME": scheme,
            "POSTERN_API_KEY": "test",
        }

    # Orders

    def expire(self, user: str) -> int:
        """Expires the user's tokens now. Returns the number of affected sessions."""
        return self._order(user, "expire")

    def ask_for_refresh(self, user: str) -> int:
        """Sends a refresh request to the user's sessions."""
        return self._order(user, "refresh")

    def disconnect(self, user: str, code: int = 4005, reason: str = "disconnected") -> int:
        """Closes the user's connections with this close frame."""
        return self._order(user, "disconnect", {"code": code, "reason": reason})

    def say(self, user: str, message: Union[str, bytes]) -> int:
        """Sends a message of yours to the user's connections: a `str` as text, `bytes` as a binary message."""
        content = {"text": message} if isinstance(message, str) else {"base64": b64encode(message).decode()}
        return self._order(user, "say", content)

    def revoke(self, user: str) -> int:
        """Revokes every token of the user that was issued until now."""
        return int(self._control.post("/revocations", {"user_id": user})["sessions"])

    # Faults

    def fail(self, fault: str, **members: Any) -> int:
        """Orders a fault: `fail("drop", what="reply:refresh", times=1)`. Returns its number, for `mend`."""
        return int(self._control.post("/faults", {"fault": fault, **members})["number"])

    def mend(self, number: Optional[int] = None) -> None:
        """Removes a fault; without a number all of them."""
        self._control.delete("/faults" if number is None else f"/faults/{number}")

    def faults(self) -> List[Mapping[str, Any]]:
        """Returns the present faults, and how often each was applied (`befell`)."""
        return list(self._control.get("/faults")["faults"])

    def _order(self, user: str, order: str, body: Optional[Mapping[str, Any]] = None) -> int:
        return int(self._control.below("users", user).post(f"/{order}", body)["sessions"])

    # Looking

    def sessions(self, user: Optional[str] = None) -> List[Session]:
        """Returns the present connections."""
        found: List[Session] = []
        after: Optional[str] = None
        while True:
            page = self._control.get("/sessions", user=user, after=after, limit=1000)
            found += map(Session.read, page["sessions"])
            after = page.get("next")
            if after is None:
                return found

    def metrics(self) -> str:
        """Returns the metrics in the Prometheus format."""
        return "\n".join(self._control.lines("/metrics"))

    # Time

    def advance(
        self, by: Duration, *, patience: Duration = 1, wall: str = "moves", stop_at: Optional[str] = None
    ) -> Advance:
        """Moves the space's time from deadline to deadline; at each, clients have `patience` of real time to answer requests."""
        order: Dict[str, Any] = {"by_s": seconds(by), "patience_ms": round(seconds(patience) * 1000), "wall": wall}
        if stop_at is not None:
            order["stop_at"] = stop_at
        moved = self._control.post("/clock/advance", order)
        return Advance(
            moved["steps"], moved["moved_s"], moved["answered"], [Session.read(one) for one in moved["owing"]],
            [Sleep(**one) for one in moved["sleeping"]], moved["cut_off"])

    def sleeping(self) -> List[Sleep]:
        """Returns the work that continues only when the time of a frozen space is moved; empty if time passes."""
        return [Sleep(**one) for one in self._control.get("/clock")["sleeping"]]

    def wall_time(self) -> float:
        """Returns its time of day, in seconds since 1970."""
        return float(self._control.get("/clock")["wall"])

    def set_wall(self, date: str) -> None:
        """Sets its time of day: "2000-01-01T00:00:00Z". Sessions keep their deadlines."""
        self._control.post("/clock", {"wall": date})

    # The end

    def end(self) -> None:
        """Closes its connections with 1001 and removes it. Does nothing the second time. Requests in other threads that have
        no answer yet end with `Ended`."""
        try:
            self._spaces.below("spaces", self.name).delete("")
        except Refused as refusal:
            if refusal.status != 404:
                raise
        finally:
            self.give_up()

    def give_up(self) -> None:
        """Ends the space's requests in other threads with `Ended`. The space goes on."""
        self._calls.end()

    def __enter__(self) -> "Space":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.end()
