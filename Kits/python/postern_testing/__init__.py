"""A realtime gateway for the tests of a client: one for each test, whose tokens expire when the test says so."""

from .aio import AsyncJournal, AsyncSpace
from .calls import Ended
from .control import Refused
from .durations import seconds
from .gateway import Gateway, NotStarted
from .journal import Journal, Line, NotExpected, NotInTime, Verdict
from .space import Advance, Session, Sleep, Space

__all__ = [
    "Advance",
    "AsyncJournal",
    "AsyncSpace",
    "Ended",
    "Gateway",
    "Journal",
    "Line",
    "NotExpected",
    "NotInTime",
    "NotStarted",
    "Refused",
    "Session",
    "Sleep",
    "Space",
    "Verdict",
    "seconds",
]
