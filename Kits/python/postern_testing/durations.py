"""Durations in readable form."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Union

Duration = Union[int, float, str, timedelta]

_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")


def seconds(duration: Duration) -> float:
    """Returns a duration in seconds, from a number of seconds, a timedelta, or text such as "1h30m", "250ms", "2d"."""
    if isinstance(duration, timedelta):
        return duration.total_seconds()
    if isinstance(duration, str):
        parts = _PART.findall(duration)
        if not parts or "".join(number + unit for number, unit in parts) != duration:
            raise ValueError(f"{duration!r} is no duration; write 90s, 5m, 1h30m, 250ms or 1d")
        return sum(float(number) * _UNITS[unit] for number, unit in parts)
    return float(duration)
